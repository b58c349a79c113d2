// Top-ups in a drill: requested while nodes send and die, and counted on the chain at the end.
import type { Chain } from '../../../src/chains/chain.ts';
import type { Sql } from '../../../src/storage/database.ts';
import type { Random } from '../random.ts';
import type { Service } from '../service.ts';

type Deps = { readonly service: Service; readonly chain: Chain; readonly db: Sql; readonly random: Random };

/** In units of the coin. */
const QUANTITY = '100';

export type TopUps = {
  /** Moves coin from one sender to another, requested three times at once under one key. Returns what is wrong; each a sentence. */
  ask(): Promise<string[]>;
  /** How many were sent. */
  readonly made: () => number;
  isAtRest(): Promise<boolean>;
  /** How many transfers of coin were made, and what is wrong. */
  judge(): Promise<{ readonly moved: number; readonly lost: string[]; readonly wrong: string[] }>;
};

export function openTopUps({ service, chain, db, random }: Deps): TopUps {
  const { network, senders } = chain;
  let [keys, made] = [0, 0];

  const readOpen = () =>
    db.query<{ id: string; state: string }>(
      `select id, state from payouts where is_top_up and state in ('open', 'done')`,
    );

  /** A slot that the chain has used and the books did not give out means that coin was sent outside of them. */
  async function unknownSlots(): Promise<string[]> {
    const rows = await db.query<{ sender: string; next: string }>(
      'select sender, next_nonce::text as next from chain_senders',
    );
    const wrong: string[] = [];
    for (const { sender, next } of rows) {
      const { said = [] } = (await chain.slotCounts?.(sender)) ?? {};
      for (const { mined } of said) {
        if (mined !== BigInt(next)) wrong.push(`${sender} has used ${mined} slots, and the books gave out ${next}`);
      }
    }
    return wrong;
  }

  return {
    ask: async () => {
      const from = random.pick(senders);
      const body = { network, from, to: random.pick(senders.filter(one => one !== from)), quantity: QUANTITY };
      keys += 1;
      const headers = { 'idempotency-key': `top-up-${keys}` };
      const answers = await Promise.all([1, 2, 3].map(() => service.post('/payouts/top-ups', body, headers)));
      const payouts = new Set(answers.flatMap(({ status, json }) => (status === 201 ? [json.payoutId] : [])));
      made += Math.min(payouts.size, 1);
      return [
        ...(payouts.size > 1 ? [`${payouts.size} top-ups were sent for one key`] : []),
        ...answers.flatMap(({ status, text }) => (status >= 500 && status !== 503 ? [text] : [])),
      ];
    },
    made: () => made,
    isAtRest: async () => (await readOpen()).length === 0,
    judge: async () => {
      const [row] = await db.query<{ moved: number }>(
        `select count(*)::int as moved from payouts where is_top_up and state in ('done', 'final')`,
      );
      const lost = (await readOpen()).map(({ id, state }) => `top-up ${id} does not come to rest: ${state}`);
      return { moved: row?.moved ?? 0, lost, wrong: made > 0 ? await unknownSlots() : [] };
    },
  };
}
