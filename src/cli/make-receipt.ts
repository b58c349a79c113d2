// The receipt of a payout, for the command line.
import type { Config } from '../config/config.ts';
import { withoutAuditContext } from '../lib/audit-context.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { openReceiptKey } from '../payouts/receipts/open-receipt-key.ts';
import { type SignedReceipt, signedReceipt } from '../payouts/receipts/receipt.ts';
import { findPayoutByEither } from '../payouts/store/list.ts';
import { secretBox } from '../storage/secret-box.ts';
import { withDatabase } from './database.ts';

export function makeReceipt(config: Config, log: Log, id: string): Promise<SignedReceipt> {
  return withDatabase({ config, log, action: 'trilho receipt get' }, async deps => {
    const payout = await findPayoutByEither(deps.db, id);
    if (!payout) throw new AppError('not_found', `There is no payout of ${id}.`);
    // Without an audit context, as at the first start: the operator did not ask for it.
    const opened = { ...deps, secretBox: secretBox(config.masterKeys) };
    const key = await withoutAuditContext(() => openReceiptKey(opened, config.payouts.receipts?.keyFile));
    return signedReceipt(payout, config.mode, key);
  });
}
