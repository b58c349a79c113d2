// Screening of addresses by a local list and by a service over HTTP. Every answer is recorded. No call happens inside a transaction.
import type { Network } from '../chains/asset.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';
import { openScreeningFile, type ScreeningFile } from './screening-file.ts';
import { type AskHook, screeningHook } from './screening-hook.ts';
import type { ListIdentity } from './screening-list.ts';
import { newestHookResult, recordScreening } from './store-screening.ts';
import type { ScreeningSettings } from './wallet-settings.ts';

/** The verdict on an address. `list`: the one that was used; without a list and a hook every address is clear. */
type ScreeningVerdict =
  | { readonly result: 'clear'; readonly list?: ListIdentity }
  | { readonly result: 'hit'; readonly source: 'list' | 'hook'; readonly list?: ListIdentity }
  /** The list cannot be read now, or the service did not answer: wait and retry. */
  | { readonly result: 'unknown'; readonly source: 'list' | 'hook'; readonly list?: ListIdentity };

export type Screening = {
  /** Uses list and service, for up to three seconds: for a new wallet, and before crypto leaves. */
  screen(network: Network, address: string): Promise<ScreeningVerdict>;
  /** Uses the list and the last answer of the service, without a call: for an order. */
  screenByRecord(network: Network, address: string): Promise<ScreeningVerdict>;
};

type Deps = { readonly db: Sql; readonly clock: Clock; readonly log: Log };

/**
 * Reads the list, which must be readable at the start.
 *
 * @example
 * const screening = await openScreening(deps, { file: '/etc/trilho/blocked.txt' });
 * const { result } = await screening.screen('polygon', wallet.address); // 'clear', 'hit' or 'unknown'
 */
export async function openScreening(deps: Deps, { file, hook }: ScreeningSettings): Promise<Screening> {
  const list = file === undefined ? undefined : await openScreeningFile(deps, file);
  const ask = hook && screeningHook(deps, hook);
  return {
    screen: async (network, address) => {
      const byList = list ? await askList(deps, list, network, address) : NOTHING_ASKED;
      if (byList.result === 'hit' || !ask) return byList;
      const byHook = await askHook(deps, ask, network, address);
      return worse(byList, byHook);
    },
    screenByRecord: async (network, address) => {
      const byList = list ? await askList(deps, list, network, address) : NOTHING_ASKED;
      if (byList.result === 'hit' || !ask) return byList;
      const newest = await newestHookResult(deps.db, network, address);
      return newest === 'hit' ? { ...identityIn(byList), result: 'hit', source: 'hook' } : byList;
    },
  };
}

const NOTHING_ASKED: ScreeningVerdict = { result: 'clear' };

async function askList(
  { db, clock }: Deps,
  file: ScreeningFile,
  network: Network,
  address: string,
): Promise<ScreeningVerdict> {
  const { list, fault } = await file.current();
  const identity = { digest: list.digest, ...(list.date !== undefined && { date: list.date }) };
  // An address on the last readable list is still a hit.
  const result = list.has(address) ? 'hit' : fault === undefined ? 'clear' : 'unknown';
  await recordScreening(db, { network, address, source: 'list', result, list: identity }, clock.now());
  return result === 'clear' ? { result, list: identity } : { result, source: 'list', list: identity };
}

async function askHook(
  { db, clock }: Deps,
  ask: AskHook,
  network: Network,
  address: string,
): Promise<ScreeningVerdict> {
  const { result, words } = await ask(network, address);
  const record = { network, address, source: 'hook', result, ...(words !== undefined && { words }) } as const;
  await recordScreening(db, record, clock.now());
  return result === 'clear' ? { result } : { result, source: 'hook' };
}

/** The stricter verdict, with the identity of the list. */
function worse(byList: ScreeningVerdict, byHook: ScreeningVerdict): ScreeningVerdict {
  if (byHook.result === 'clear' || (byHook.result === 'unknown' && byList.result === 'unknown')) return byList;
  return { ...identityIn(byList), ...byHook };
}

function identityIn({ list }: ScreeningVerdict): { readonly list?: ListIdentity } {
  return list ? { list } : {};
}
