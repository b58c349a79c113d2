// What the database says about the settings before anything runs: refused where charges could not be paid, otherwise a warning in the log.

import type { ApprovalRules } from '../accounts/approval-rules.ts';
import { warnOfGroups } from '../accounts/check-approvers.ts';
import { warnOfNumbers } from '../charges/bank-files/warn-numbers.ts';
import { requireRails } from '../charges/issue/require-rails.ts';
import type { Log } from '../lib/log.ts';
import { ORDER_RECORDS } from '../orders/payout-owner.ts';
import { warnOfNetworks } from '../payouts/watch/warn-networks.ts';
import type { Database } from '../storage/database.ts';
import type { Composition } from './composition.ts';

type Deps = Pick<Composition, 'rails' | 'chains' | 'clock'> & { readonly db: Database; readonly log: Log };

export async function checkStart(
  { db, log, rails, chains, clock }: Deps,
  { approvalRules }: { readonly approvalRules: ApprovalRules },
): Promise<void> {
  await requireRails(db, rails, clock.now());
  await warnOfNumbers({ db, rails, log });
  await warnOfNetworks({ db, chains, log, payoutOwner: ORDER_RECORDS });
  await warnOfGroups({ db, log }, approvalRules, clock.now());
}
