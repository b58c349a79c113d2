// The SQL of the keys that receipts are signed with.
import type { Sql } from '../storage/database.ts';
import type { ReceiptKey } from './receipt-key.ts';

export type PublicReceiptKey = Pick<ReceiptKey, 'id' | 'publicKey'> & { readonly createdAt: Date };

/** Keeps a key; its private part only when the service has made it. A key that is kept stays as it is. */
export async function addReceiptKey(
  tx: Sql,
  { id, publicKey, privateKey, isOwn }: ReceiptKey & { readonly isOwn: boolean },
  at: Date,
): Promise<void> {
  const secret = isOwn ? privateKey.export({ format: 'der', type: 'pkcs8' }) : undefined;
  await tx.query(
    `insert into receipt_keys (id, public_key, private_key, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [id, Buffer.from(publicKey, 'base64url'), secret, at],
  );
}

/** The key that the service has made, as PKCS #8. */
export async function findOwnReceiptKey(sql: Sql): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ private_key: Buffer }>(
    'select private_key from receipt_keys where private_key is not null',
  );
  return row?.private_key;
}

/** Keys are changed by hand, so they are few. */
const MAX_KEYS = 100;

/** Every key that receipts were signed with, newest first. */
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
