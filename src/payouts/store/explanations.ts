// The SQL of explanations.
import type { Network } from '../../chains/asset.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import type { Explanations } from '../compare/explanation.ts';

type Explanation = {
  readonly network: Network;
  readonly sender: string;
  readonly subject: string;
  readonly note: string;
};

export async function insertExplanation(tx: Sql, explanation: Explanation, at: Date): Promise<void> {
  const { network, sender, subject, note } = explanation;
  await tx.query(
    `insert into chain_explanations (id, network, sender, subject, note, explained_at) values ($1, $2, $3, $4, $5, $6)`,
    [uuidV7(at), network, sender, subject, note, at],
  );
}

export async function readExplanations(sql: Sql, network: Network, sender: string): Promise<Explanations> {
  const rows = await sql.query<{ subject: string; note: string }>(
    'select subject, note from chain_explanations where network = $1 and sender = $2 order by explained_at, id',
    [network, sender],
  );
  return new Map(rows.map(({ subject, note }) => [subject, note]));
}
