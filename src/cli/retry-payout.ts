// trilho payouts retry: sends an order again whose transfer failed for good, or was refused before it took a slot.
import { openApprovalRules } from '../accounts/approval-rules.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { retryOrder } from '../orders/retry.ts';
import { openScreening } from '../wallets/screening.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { openChainsOfService } from './open-chains.ts';

export async function retryPayoutCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['transaction id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isUuid(id)) faults.push(`<transaction id> must be a UUID, not ${quoted(id)}`);
  refuseFaults('payouts retry', faults);
  await withCharges({ config, log, action: 'trilho payouts retry' }, async deps => {
    setAuditObject(id.toLowerCase());
    const chains = await openChainsOfService(config, deps, log);
    const screening = await openScreening({ ...deps, log }, config.screening);
    const { settlement, walletPolicy } = config;
    try {
      const approvalRules = openApprovalRules(config.payouts.approvals);
      return await retryOrder({ ...deps, log, chains, screening, settlement, walletPolicy, approvalRules }, id);
    } catch (error) {
      throw error instanceof AppError ? new StartError(error.message) : error;
    }
  });
  console.log('The order is in line again. It is sent in its turn, when limits and funds allow.');
  return 0;
}
