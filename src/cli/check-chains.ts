// The part of trilho ledger check that asks the chains: what left our senders and what the books say, compared for each sender.
import type { Chain } from '../chains/chain.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { compareSender, type SenderComparison } from '../payouts/compare-chain.ts';
import { readSenders } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';
import { openChainsOfService } from './open-chains.ts';

type Deps = { readonly config: Config; readonly log: Log; readonly db: Database; readonly clock: Clock };

const MAX_SHOWN = 50;

/** Prints the comparison; true when nothing differs and everything was answered. */
export async function checkChains(deps: Deps): Promise<boolean> {
  const chains = await openChainsOfService(deps.config, deps, deps.log);
  let isRight = true;
  for (const { network, sender } of await readSenders(deps.db)) {
    const chain = chains[network];
    const lines = chain ? await linesOf(deps.db, chain, sender) : ['  NOT CHECKED: no chain is configured for it'];
    console.log(`${network} ${sender}`);
    for (const line of lines) console.log(line);
    isRight &&= !lines.some(line => /^ {2}(DIFFERS|NOT CHECKED)/.test(line));
  }
  console.log(isRight ? 'The books agree with the chains.' : 'The books do not agree with the chains.');
  return isRight;
}

async function linesOf(db: Database, chain: Chain, sender: string): Promise<string[]> {
  const compared = await compareSender(db, chain, sender);
  return compared ? reportOf(compared) : [];
}

function reportOf({ settled, underWay, differences, unanswered, notes }: SenderComparison): string[] {
  const counted = `  ${settled} payouts are compared${underWay > 0 ? `, ${underWay} are under way` : ''}`;
  const marked = (mark: string, sentences: readonly string[]) => [
    ...sentences.slice(0, MAX_SHOWN).map(sentence => `  ${mark}${sentence}`),
    ...(sentences.length > MAX_SHOWN ? [`  … and ${sentences.length - MAX_SHOWN} more`] : []),
  ];
  return [counted, ...marked('', notes), ...marked('DIFFERS: ', differences), ...marked('NOT CHECKED: ', unanswered)];
}
