// The SQL of links to checkouts.
import { randomBytes } from 'node:crypto';
import type { Sql } from '../../storage/database.ts';
import type { SecretStore } from '../../storage/sealed-secrets.ts';
import type { SecretBox } from '../../storage/secret-box.ts';
import type { Charge } from '../charge.ts';

const KEY_BYTES = 32;

/** There is one key, so its place needs no id of a row. */
const KEY_ID = 'key';
const placeOf = () => 'checkout links';

export async function readLinkKey(sql: Sql, box: SecretBox): Promise<Buffer> {
  const [row] = await sql.query<{ key: Buffer }>('select key from checkout_links');
  return box.open(row!.key, placeOf());
}

export const LINK_SECRETS: SecretStore = {
  label: 'links to checkouts',
  placeOf,
  renew: () => randomBytes(KEY_BYTES),
  read: (sql, after) =>
    sql.query<{ id: string; secrets: Buffer[] }>(
      'select $1::text as id, array[key] as secrets from checkout_links where $1 <> $2',
      [KEY_ID, after],
    ),
  replace: async (tx, before, after) => {
    const rows = await tx.query('update checkout_links set key = $1 where key = $2 returning only_one', [
      after.secrets[0],
      before.secrets[0],
    ]);
    return rows.length > 0;
  },
};

/** Whether any charge, and so any link to a checkout, exists. */
export async function hasLinks(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ has: boolean }>('select exists (select from charges) as has');
  return row!.has;
}

/** Of a charge whose row the caller has locked. */
export async function storeLinkEpoch(
  tx: Sql,
  { id, accountId, linkEpoch }: Pick<Charge, 'id' | 'accountId' | 'linkEpoch'>,
): Promise<void> {
  await tx.query('update charges set link_epoch = $3 where id = $1 and account_id = $2', [id, accountId, linkEpoch]);
}
