// trilho chains: prints the state of each network, for a person or a script.
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { readOpenAlarms } from '../payouts/store/alarms.ts';
import { type ChainStatus, readChainStatus } from '../payouts/watch/chain-status.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';
import { openChainsOfService } from './open-chains.ts';

export async function chainsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  refuseFaults('chains', readArguments(args, {}).faults);
  const { statuses, alarms } = await withDatabase({ config, log, action: 'trilho chains' }, async deps => {
    const chains = Object.values(await openChainsOfService(config, deps, log));
    return {
      statuses: await Promise.all(chains.map(chain => readChainStatus(deps, chain))),
      alarms: await readOpenAlarms(deps.db),
    };
  });
  if (statuses.length === 0) console.log('No chain is configured; set chains in the file of TRILHO_CONFIG.');
  for (const status of statuses) for (const line of linesOf(status)) console.log(line);
  for (const { raisedAt, network, reason, words } of alarms) {
    console.log(['ALARM', network, reason, `since ${raisedAt.toISOString()}`, words].join('  '));
  }
  return alarms.length > 0 || statuses.some(({ faults }) => faults.length > 0) ? 1 : 0;
}

function linesOf(status: ChainStatus): string[] {
  const { network, head = 'unknown', finalityLagSeconds, providers, senders, window, faults } = status;
  const lag = finalityLagSeconds === undefined ? 'unknown' : `${finalityLagSeconds} s`;
  return [
    [network, faults.length === 0 ? 'well' : `WRONG: ${faults.join('; ')}`, `head ${head}`, `final ${lag} behind`].join(
      '  ',
    ),
    ...providers.map(
      ({ name, isAnswering, words }) =>
        `  provider  ${name}  ${isAnswering ? 'answers' : 'does not answer'}${words === undefined ? '' : `  ${words}`}`,
    ),
    ...senders.map(({ address, takesSlots, nextNonce = 'not read yet', openSlots = 0, balances }) =>
      [
        `  sender  ${address}`,
        takesSlots ? 'takes slots' : 'takes no slots',
        `next nonce ${nextNonce}`,
        `open ${openSlots} of ${window}`,
        balances.length === 0
          ? 'balances unknown'
          : balances.map(({ symbol, amount }) => `${amount} ${symbol}`).join(', '),
      ].join('  '),
    ),
  ];
}
