// The SQL of the keys that sign receipts.
import type { Sql } from '../../storage/database.ts';
import { type SecretStore, sealsSecrets } from '../../storage/sealed-secrets.ts';
import type { SecretBox } from '../../storage/secret-box.ts';
import type { ReceiptKey } from '../receipts/receipt-key.ts';

type PublicReceiptKey = Pick<ReceiptKey, 'id' | 'publicKey'> & { readonly createdAt: Date };

/** Stores a key; its private part, sealed, only when the service made it. An existing key stays as it is. */
export async function addReceiptKey(
  tx: Sql,
  { id, publicKey, privateKey }: ReceiptKey,
  { at, sealedBy }: { readonly at: Date; readonly sealedBy?: SecretBox },
): Promise<void> {
  const own = sealedBy && privateKey.export({ format: 'der', type: 'pkcs8' });
  const secret = own && (await sealsSecrets(tx)) ? sealedBy.seal(own, placeOf(id)) : own;
  await tx.query(
    `insert into receipt_keys (id, public_key, private_key, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [id, Buffer.from(publicKey, 'base64url'), secret, at],
  );
}

/** The key that the service made, as PKCS #8. */
export async function findOwnReceiptKey(sql: Sql, box: SecretBox): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ id: string; private_key: Buffer }>(
    'select id, private_key from receipt_keys where private_key is not null',
  );
  return row && box.open(row.private_key, placeOf(row.id));
}

/** The place that a private key is bound to. */
function placeOf(id: string): string {
  return `receipt key ${id}`;
}

export const RECEIPT_SECRETS: SecretStore = {
  label: 'the key of receipts',
  placeOf,
  // A receipt names its key, so a new key is a new row.
  renew: () => undefined,
  read: (sql, after, limit) =>
    sql.query<{ id: string; secrets: Buffer[] }>(
      `select id, array[private_key] as secrets from receipt_keys
        where id > $1 and private_key is not null order by id limit $2`,
      [after, limit],
    ),
  replace: async (tx, before, after) => {
    const rows = await tx.query(
      'update receipt_keys set private_key = $2 where id = $1 and private_key = $3 returning id',
      [before.id, after.secrets[0] ?? null, before.secrets[0]],
    );
    return rows.length > 0;
  },
};

/** Keys are changed by hand, so they are few. */
const MAX_KEYS = 100;

/** Every key that has signed receipts, newest first. */
export async function readReceiptKeys(sql: Sql): Promise<PublicReceiptKey[]> {
  const rows = await sql.query<{ id: string; public_key: Buffer; created_at: Date }>(
    `select id, public_key, created_at from receipt_keys order by created_at desc, id limit ${MAX_KEYS}`,
  );
  return rows.map(row => ({
    id: row.id,
    publicKey: row.public_key.toString('base64url'),
    createdAt: row.created_at,
  }));
}
