// The SQL of doubts: since when the chain may show more of a sender than the books have.
import type { Network } from '../../chains/asset.ts';
import type { Database } from '../../storage/database.ts';

type SenderDoubt = { readonly sender: string; readonly since: Date };

/** Keeps the doubts of these senders, ends those of all others of the network, and returns since when each lasts. */
export async function keepDoubts(
  db: Database,
  network: Network,
  senders: readonly string[],
  at: Date,
): Promise<SenderDoubt[]> {
  const before = await readDoubts(db, network);
  const isSame = before.length === senders.length && before.every(({ sender }) => senders.includes(sender));
  if (isSame) return before;
  await db.transaction(async tx => {
    await tx.query('delete from sender_doubts where network = $1 and sender <> all($2)', [network, senders]);
    await tx.query(
      `insert into sender_doubts (network, sender, since)
       select $1, sender, $3 from unnest($2::text[]) as sender on conflict do nothing`,
      [network, senders, at],
    );
  });
  return readDoubts(db, network);
}

function readDoubts(db: Database, network: Network): Promise<SenderDoubt[]> {
  return db.query<SenderDoubt>('select sender, since from sender_doubts where network = $1 order by sender', [network]);
}
