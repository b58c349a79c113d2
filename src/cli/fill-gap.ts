// trilho payouts fill-gap: uses up skipped slots of a sender with transactions that move nothing.
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { fillGap } from '../payouts/line/fill-gap.ts';
import { OPERATOR_ACCOUNT } from '../payouts/own-transfers/cold-rules.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { openChainsOfService } from './open-chains.ts';
import { readNetwork } from './read-asset.ts';

export async function fillGapCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { neededOptions: ['network'] });
  const network = readNetwork('--network', options['network'], faults);
  refuseFaults('payouts fill-gap', faults);
  if (!network) return 2;
  const fills = await withCharges({ config, log, action: 'trilho payouts fill-gap' }, async deps => {
    const chains = await openChainsOfService(config, deps, log);
    const operatorAccountId = config.payouts.accountId ?? OPERATOR_ACCOUNT;
    try {
      return await fillGap({ ...deps, chains, operatorAccountId }, { network, by: 'operator' });
    } catch (error) {
      throw error instanceof AppError ? new StartError(error.message) : error;
    }
  });
  const slots = fills.map(({ nonce }) => nonce).join(', ');
  console.log(
    `The slots ${slots} on ${network} are filled with transactions that move nothing. The service sends them.`,
  );
  return 0;
}
