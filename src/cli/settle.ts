// trilho payouts settle: an operator decides the outcome of a transfer that the service cannot settle by itself.
import { openApprovalRules } from '../accounts/approval-rules.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { SETTLEMENTS } from '../orders/order.ts';
import { settleMismatch } from '../orders/settle-mismatch.ts';
import { settlePaid } from '../orders/settle-paid.ts';
import { openLimits } from '../payouts/policy/limits.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { openChainsOfService } from './open-chains.ts';
import { readWord } from './read-asset.ts';

const SAID = {
  delivered: 'The order is fulfilled.',
  returned: 'Its charge can be refunded; nothing more is sent.',
  paid: 'The transaction is the transfer of this order. The service looks it up and fulfils the order; nothing more is sent.',
};

export async function settleCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, {
    positionals: ['transaction id'],
    neededOptions: ['as'],
    options: ['hash'],
  });
  const [id = ''] = positionals;
  const { hash } = options;
  if (positionals.length > 0 && !isUuid(id)) faults.push(`<transaction id> must be a UUID, not ${quoted(id)}`);
  const as = readWord('--as', options['as'], SETTLEMENTS, faults);
  if (as === 'paid' && hash === undefined) faults.push('--hash is missing');
  if (as !== 'paid' && hash !== undefined) faults.push('--hash is for --as paid alone');
  refuseFaults('payouts settle', faults);
  if (!as) return 2;
  await withCharges({ config, log, action: 'trilho payouts settle' }, async deps => {
    setAuditObject(id.toLowerCase());
    try {
      if (as !== 'paid') return await settleMismatch(deps, id, as);
      const chains = await openChainsOfService(config, deps, log);
      const payoutLimits = openLimits(config.payouts.limits ?? [], config.mode);
      const approvalRules = openApprovalRules(config.payouts.approvals);
      const { settlement } = config;
      const paid = { hash: hash ?? '', by: 'operator' };
      return await settlePaid({ ...deps, chains, payoutLimits, approvalRules, settlement }, id, paid);
    } catch (error) {
      throw error instanceof AppError ? new StartError(messageOf(error)) : error;
    }
  });
  console.log(SAID[as]);
  return 0;
}

/** A fault of the API, with the option in place of its field. */
function messageOf({ message, faults }: AppError): string {
  if (faults.length === 0) return message;
  return `trilho payouts settle: ${faults.map(fault => `--${fault.path} ${fault.message}`).join('; ')}.`;
}
