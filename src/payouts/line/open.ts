// Opens payouts: each gets a slot (nonce) of the sender, which it keeps for ever. Nothing is signed or sent here.
import type { Network } from '../../chains/asset.ts';
import type { Chain, Chains } from '../../chains/chain.ts';
import { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { OwnRequest, Payout, PayoutRequest } from '../payout.ts';
import { insertPayouts } from '../store/payouts.ts';
import { findSender, haltSender, insertSender, type Sender, setNextNonce } from '../store/senders.ts';

/** Takes the next slots, in the sequence of the requests. The caller holds the row lock of the sender. */
export async function openPayouts(
  tx: Sql,
  chain: Chain,
  { sender, nextNonce, ...rest }: Sender,
  requests: readonly (PayoutRequest | OwnRequest)[],
  at: Date,
): Promise<Payout[]> {
  const payouts = requests.map((request, index): Payout => {
    const nonce = nextNonce + BigInt(index);
    const fresh = {
      state: 'open',
      confirmations: 0,
      idleLookups: 0,
      attempts: [],
      createdAt: at,
      updatedAt: at,
    } as const;
    return { ...request, id: uuidV7(at), sender, nonce, place: chain.placeOf(request.symbol), ...fresh };
  });
  if (payouts.length === 0) return [];
  await setNextNonce(tx, { sender, nextNonce, ...rest }, nextNonce + BigInt(payouts.length));
  // The caller sends them after its commit. If it dies before that, the lookup that is due then does.
  await insertPayouts(tx, payouts, chain.nextLookupAt({ kind: 'pending' }, at), at);
  return payouts;
}

export function chainOf(chains: Chains, network: Network): Chain {
  const chain = chains[network];
  if (!chain)
    throw new AppError('not_configured', `There is no chain for ${network}: chains in TRILHO_CONFIG does not name it.`);
  return chain;
}

export function chainSilent(network: Network): AppError {
  return new AppError('chain_unavailable', `No node of ${network} answers; try again.`);
}

/** Why a sender that the books do not have is halted at once; `silent` when that cannot be known now. */
export type JudgeFirst = (
  sender: string,
) => Promise<{ readonly message: string; readonly at: Date } | 'silent' | undefined>;

/**
 * A sender as the books have it. The chain is asked once for its first unused nonce; undefined when no node answers: then
 * no slot can be taken. One that was used before the books had it may be of this service, with a database that is gone.
 */
export async function requireSender(
  db: Database,
  chain: Chain,
  sender: string,
  judgeFirst?: JudgeFirst,
): Promise<Sender | undefined> {
  const { network } = chain;
  const known = await findSender(db, network, sender);
  if (known) return known;
  const nonce = await chain.nextNonce(sender);
  if (nonce === undefined) return undefined;
  const judged = nonce > 0n ? await judgeFirst?.(sender) : undefined;
  if (judged === 'silent') return undefined;
  await db.transaction(async tx => {
    await insertSender(tx, network, sender, nonce);
    if (judged) await haltSender(tx, network, sender, judged.at, judged.message);
  });
  return findSender(db, network, sender);
}
