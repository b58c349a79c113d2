// trilho payouts: the verbs of payouts. Most are in files of their own; here are void, which gives up a transfer that no block has,
// and the resume of a halted sender.
import { isTransactionHash } from '../chains/networks.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { ORDER_RECORDS } from '../orders/payout-owner.ts';
import { voidByEither } from '../orders/void-by-either.ts';
import { resumeHaltedSender } from '../payouts/line/resume-sender.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { listCommand, showCommand } from './list-payouts.ts';
import { pauseCommand, resumePausedCommand } from './pauses.ts';
import { readNetwork } from './read-asset.ts';

export async function payoutsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('payouts', args, [
    'list',
    'show',
    'pause',
    'resume',
    'approve',
    'approvals',
    'retry',
    'void',
    'settle',
    'sweep',
    'top-up',
    'fill-gap',
  ]);
  const rest = args.slice(1);
  if (verb === 'list') return listCommand(config, log, rest);
  if (verb === 'show') return showCommand(config, log, rest);
  if (verb === 'pause') return pauseCommand(config, log, rest);
  if (verb === 'sweep') return (await import('./cold-sweep.ts')).coldSweepCommand(config, log, rest);
  if (verb === 'top-up') return (await import('./top-up.ts')).topUpCommand(config, log, rest);
  if (verb === 'fill-gap') return (await import('./fill-gap.ts')).fillGapCommand(config, log, rest);
  if (verb === 'retry') return (await import('./retry-payout.ts')).retryPayoutCommand(config, log, rest);
  if (verb === 'settle') return (await import('./settle.ts')).settleCommand(config, log, rest);
  if (verb === 'approve') return (await import('./approvals.ts')).approveCommand(config, log, rest);
  if (verb === 'approvals') return (await import('./approvals.ts')).approvalsCommand(config, log, rest);
  if (verb === 'void') return voidCommand(config, log, rest);
  // Arguments name a sender, options a pause.
  return rest[0] === undefined || rest[0].startsWith('-')
    ? resumePausedCommand(config, log, rest)
    : resumeSenderCommand(config, log, rest);
}

async function voidCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['payout or transaction id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isUuid(id))
    faults.push(`<payout or transaction id> must be a UUID, not ${quoted(id)}`);
  refuseFaults('payouts void', faults);
  await withCharges({ config, log, action: 'trilho payouts void' }, async deps => {
    setAuditObject(id.toLowerCase());
    try {
      await voidByEither(deps, id);
    } catch (error) {
      throw error instanceof AppError ? new StartError(error.message) : error;
    }
  });
  console.log('Given up. The service voids the slot; an order is held as payout_voided once that is final.');
  return 0;
}

async function resumeSenderCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, {
    positionals: ['network', 'sender'],
    options: ['despite'],
  });
  const [name, sender = ''] = positionals;
  const network = readNetwork('<network>', name, faults);
  const despite = options['despite']?.split(',') ?? [];
  for (const hash of despite) {
    if (network && !isTransactionHash(network, hash)) {
      faults.push(`--despite must be hashes of transactions of ${network} with commas between, not ${quoted(hash)}`);
    }
  }
  refuseFaults('payouts resume', faults);
  if (!network) return 2;
  const passed = await withCharges({ config, log, action: 'trilho payouts resume' }, async deps => {
    const { openChainsOfService } = await import('./open-chains.ts');
    const chains = await openChainsOfService(config, deps, log);
    try {
      return await resumeHaltedSender({ ...deps, payoutOwner: ORDER_RECORDS, chains, log }, network, sender, despite);
    } catch (error) {
      throw error instanceof AppError ? new StartError(error.message) : error;
    }
  });
  if (passed === undefined) throw new StartError(`${sender} is not a halted sender of ${network}.`);
  const behind = passed === 0 ? '' : `, behind ${passed} that were used elsewhere`;
  console.log(`${sender} takes slots of ${network} again${behind}.`);
  return 0;
}
