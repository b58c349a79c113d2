// trilho payouts approve and approvals: approves a payout as an operator, and lists the orders that wait for approvals.
import { openApprovalRules } from '../accounts/approval-rules.ts';
import { missingApprovals } from '../accounts/approvals.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { MAX_PAGE_SIZE } from '../lib/paging.ts';
import { standingOf } from '../orders/approvals.ts';
import { APPROVABLE, approveOrder } from '../orders/approve.ts';
import { readHeldPage } from '../orders/store.ts';
import { findTopUp } from '../payouts/store/top-ups.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withCharges, withDatabase } from './database.ts';
import { approveTopUpCommand } from './top-up.ts';

/** Pages that are printed at most. */
const MAX_PAGES = 1_000;

export async function approveCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['transaction or top-up id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isUuid(id))
    faults.push(`<transaction or top-up id> must be a UUID, not ${quoted(id)}`);
  refuseFaults('payouts approve', faults);
  const isOfTopUp = await withDatabase({ config, log, action: 'trilho payouts approve' }, async ({ db }) => {
    return (await findTopUp(db, id)) !== undefined;
  });
  if (isOfTopUp) {
    await approveTopUpCommand(config, log, id.toLowerCase());
    return 0;
  }
  const approvalRules = openApprovalRules(config.payouts.approvals);
  const { groups, isApproved } = await withCharges({ config, log, action: 'trilho payouts approve' }, async deps => {
    setAuditObject(id.toLowerCase());
    try {
      const order = await approveOrder({ ...deps, approvalRules }, id, { by: 'operator' });
      return await standingOf(deps.db, approvalRules, order, deps.clock.now());
    } catch (error) {
      throw error instanceof AppError ? new StartError(error.message) : error;
    }
  });
  console.log(
    isApproved
      ? 'Approved. It is sent in its turn, when limits and funds allow.'
      : `Your approval counts, and others are missing: ${missingApprovals(groups)}`,
  );
  return 0;
}

export async function approvalsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { options: ['account'] });
  refuseFaults('payouts approvals', faults);
  const { account: accountId } = options;
  const rules = openApprovalRules(config.payouts.approvals);
  const lines = await withDatabase({ config, log, action: 'trilho payouts approvals' }, async ({ db, clock }) => {
    const found: string[] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = {
        page,
        pageSize: MAX_PAGE_SIZE,
        reasons: APPROVABLE,
        ...(accountId !== undefined && { accountId }),
      };
      const { orders, total } = await readHeldPage(db, query);
      for (const order of orders) {
        const { groups, isApproved } = await standingOf(db, rules, order, clock.now());
        const amount = `${order.quantity} ${order.symbol}`;
        const standing =
          groups.length > 0 ? missingApprovals(groups) : `A second key ${isApproved ? 'has approved' : 'approves'} it.`;
        const given = (order.approvals ?? []).map(({ by }) => by).join(', ');
        found.push(
          [order.id, order.accountId, order.network, amount, order.walletAddress, standing, given && `by ${given}`]
            .filter(part => part !== '')
            .join('  '),
        );
      }
      if (page * MAX_PAGE_SIZE >= total) return found;
    }
    return found;
  });
  for (const line of lines) console.log(line);
  if (lines.length === 0) console.log('No order waits for an approval.');
  return 0;
}
