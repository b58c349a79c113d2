// trilho payouts sweep: sends the surplus of a sender to the cold address.
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { ORDER_RECORDS } from '../orders/payout-owner.ts';
import { OPERATOR_ACCOUNT, openColdAddresses } from '../payouts/own-transfers/cold-rules.ts';
import { sweepToCold } from '../payouts/own-transfers/sweep-to-cold.ts';
import { openLimits } from '../payouts/policy/limits.ts';
import { payoutView } from '../payouts/view.ts';
import { checkNetwork } from '../quotes/check.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { openChainsOfService } from './open-chains.ts';
import { readNetwork, readSymbol } from './read-asset.ts';

export async function coldSweepCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { neededOptions: ['network', 'asset'], options: ['amount'] });
  const network = readNetwork('--network', options['network'], faults);
  const symbol = readSymbol('--asset', options['asset'], faults);
  const { amount: quantity } = options;
  faults.push(...checkNetwork(symbol, network).map(({ message }) => `--network ${message}`));
  refuseFaults('payouts sweep', faults);
  if (!network || !symbol) return 2;
  const { payouts } = config;
  const payout = await withCharges({ config, log, action: 'trilho payouts sweep' }, async deps => {
    const chains = await openChainsOfService(config, deps, log);
    const settings = {
      chains,
      log,
      payoutOwner: ORDER_RECORDS,
      coldAddresses: openColdAddresses(payouts.coldAddresses, chains),
      payoutLimits: openLimits(payouts.limits ?? [], config.mode),
      operatorAccountId: payouts.accountId ?? OPERATOR_ACCOUNT,
    };
    const sweep = { network, symbol, by: 'operator', ...(quantity !== undefined && { quantity }) };
    try {
      return await sweepToCold({ ...deps, ...settings }, sweep);
    } catch (error) {
      throw error instanceof AppError ? new StartError(messageOf(error)) : error;
    }
  });
  const { id, quantity: swept, destination } = payoutView(payout);
  console.log(
    `${swept} ${symbol} go to ${destination} on ${network}. The service sends them: trilho payouts show ${id}`,
  );
  return 0;
}

/** A fault of the API, with the option in place of its field. */
function messageOf({ message, faults }: AppError): string {
  if (faults.length === 0) return message;
  return `trilho payouts sweep: ${faults.map(fault => `--amount ${fault.message}`).join('; ')}.`;
}
