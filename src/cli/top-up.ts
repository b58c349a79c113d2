// trilho payouts top-up: sends coin from one sender of the service to another, so that it can pay fees.
import { openApprovalRules } from '../accounts/approval-rules.ts';
import { missingApprovals } from '../accounts/approvals.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { ORDER_RECORDS } from '../orders/payout-owner.ts';
import { OPERATOR_ACCOUNT } from '../payouts/own-transfers/cold-rules.ts';
import { approveTopUp, standingOf, type TopUpDeps, topUp } from '../payouts/own-transfers/make-top-up.ts';
import { showTopUp } from '../payouts/own-transfers/show-top-up.ts';
import { openLimits } from '../payouts/policy/limits.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { openChainsOfService } from './open-chains.ts';
import { readNetwork } from './read-asset.ts';

export async function topUpCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const needed = ['network', 'from', 'to', 'amount'];
  const { options, faults } = readArguments(args, { neededOptions: needed, options: ['key'] });
  const network = readNetwork('--network', options['network'], faults);
  const { from = '', to = '', amount: quantity = '', key } = options;
  refuseFaults('payouts top-up', faults);
  if (!network) return 2;
  const wanted = { network, from, to, quantity, key, by: 'operator' };
  const { shown, missing } = await withTopUps(config, log, 'top-up', async deps => {
    const made = (await topUp(deps, wanted)).topUp;
    return {
      shown: await showTopUp(deps, made),
      missing: missingApprovals((await standingOf(deps.db, deps, made)).groups),
    };
  });
  console.log(
    shown.payoutId === undefined
      ? `Top-up ${shown.id} waits for approvals, for a day: ${missing}`
      : `${shown.quantity} ${shown.symbol} go to ${shown.to} on ${network}. The service sends them: trilho payouts show ${shown.payoutId}`,
  );
  return 0;
}

/** Approves a top-up by its id. */
export async function approveTopUpCommand(config: Config, log: Log, id: string): Promise<void> {
  const payoutId = await withTopUps(
    config,
    log,
    'approve',
    async deps => (await approveTopUp(deps, id, 'operator')).payoutId,
  );
  console.log(
    payoutId === undefined ? 'Your approval counts, and others are missing.' : `Approved, and sent as ${payoutId}.`,
  );
}

function withTopUps<T>(config: Config, log: Log, verb: string, act: (deps: TopUpDeps) => Promise<T>): Promise<T> {
  return withCharges({ config, log, action: `trilho payouts ${verb}` }, async deps => {
    const { payouts, mode } = config;
    const chains = await openChainsOfService(config, deps, log);
    const policy = {
      payoutLimits: openLimits(payouts.limits ?? [], mode),
      approvalRules: openApprovalRules(payouts.approvals),
      operatorAccountId: payouts.accountId ?? OPERATOR_ACCOUNT,
    };
    try {
      return await act({ ...deps, ...policy, payoutOwner: ORDER_RECORDS, chains, log });
    } catch (error) {
      throw error instanceof AppError ? new StartError(messageOf(error)) : error;
    }
  });
}

/** Faults of the API, with options in place of fields. */
function messageOf({ message, faults }: AppError): string {
  if (faults.length === 0) return message;
  const parts = faults.map(fault => `--${fault.path === 'quantity' ? 'amount' : fault.path} ${fault.message}`);
  return `trilho payouts top-up: ${parts.join('; ')}.`;
}
