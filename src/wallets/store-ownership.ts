// The SQL of challenges, proofs and declarations about the holder of a wallet.
import type { Row, Sql } from '../storage/database.ts';
import type { Actor, Wallet } from './wallet.ts';

export type Challenge = { readonly message: string; readonly expiresAt: Date };

type OfWallet = Pick<Wallet, 'id' | 'accountId'>;

/** Replaces the previous challenge of the wallet, if any. */
export async function replaceChallenge(tx: Sql, wallet: OfWallet, { message, expiresAt }: Challenge): Promise<void> {
  await tx.query(
    `insert into wallet_challenges (wallet_id, account_id, message, expires_at) values ($1, $2, $3, $4)
     on conflict (wallet_id, account_id) do update set message = excluded.message, expires_at = excluded.expires_at`,
    [wallet.id, wallet.accountId, message, expiresAt],
  );
}

export async function findChallenge(sql: Sql, wallet: OfWallet): Promise<Challenge | undefined> {
  const [row] = await sql.query<Row & { message: string; expires_at: Date }>(
    'select message, expires_at from wallet_challenges where wallet_id = $1 and account_id = $2',
    [wallet.id, wallet.accountId],
  );
  return row && { message: row.message, expiresAt: row.expires_at };
}

export async function deleteChallenge(tx: Sql, wallet: OfWallet): Promise<void> {
  await tx.query('delete from wallet_challenges where wallet_id = $1 and account_id = $2', [
    wallet.id,
    wallet.accountId,
  ]);
}

type Proof = {
  readonly id: string;
  readonly message: string;
  readonly signature: string;
  readonly provenAt: Date;
  readonly provenBy: Actor;
};

export async function insertProof(tx: Sql, wallet: OfWallet, proof: Proof): Promise<void> {
  await tx.query(
    `insert into wallet_proofs (id, wallet_id, account_id, message, signature, proven_at, proven_by)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [proof.id, wallet.id, wallet.accountId, proof.message, proof.signature, proof.provenAt, proof.provenBy],
  );
  await tx.query('update wallets set proven_at = $3 where id = $1 and account_id = $2', [
    wallet.id,
    wallet.accountId,
    proof.provenAt,
  ]);
}

export async function hasProof(sql: Sql, wallet: OfWallet, signature: string): Promise<boolean> {
  const rows = await sql.query(
    'select id from wallet_proofs where wallet_id = $1 and account_id = $2 and signature = $3',
    [wallet.id, wallet.accountId, signature],
  );
  return rows.length > 0;
}

export type Declaration = {
  readonly holderName: string;
  /** CPF or CNPJ, without punctuation. */
  readonly holderDocument?: string;
  readonly statement: string;
};

export async function insertDeclaration(
  tx: Sql,
  wallet: OfWallet,
  { holderName, holderDocument, statement }: Declaration,
  { id, at, by }: { readonly id: string; readonly at: Date; readonly by: Actor },
): Promise<void> {
  await tx.query(
    `insert into wallet_declarations
       (id, wallet_id, account_id, holder_name, holder_document, statement, declared_at, declared_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, wallet.id, wallet.accountId, holderName, holderDocument ?? null, statement, at, by],
  );
  await tx.query('update wallets set declared_at = $3 where id = $1 and account_id = $2', [
    wallet.id,
    wallet.accountId,
    at,
  ]);
}

/** Whether this equals the newest declaration of the wallet. */
export async function isDeclared(
  sql: Sql,
  wallet: OfWallet,
  { holderName, holderDocument, statement }: Declaration,
): Promise<boolean> {
  const [newest] = await sql.query<Row & { same: boolean }>(
    `select holder_name = $3 and holder_document is not distinct from $4 and statement = $5 as same
       from wallet_declarations where wallet_id = $1 and account_id = $2 order by declared_at desc, id desc limit 1`,
    [wallet.id, wallet.accountId, holderName, holderDocument ?? null, statement],
  );
  return newest?.same ?? false;
}

/** The declarations with this document, as stored. */
export async function findDeclarationsOf(sql: Sql, document: string) {
  return sql.query<{ id: string; wallet_id: string; holder_name: string; statement: string; declared_at: Date }>(
    `select id, wallet_id, holder_name, statement, declared_at from wallet_declarations
      where holder_document = $1 order by declared_at, id`,
    [document],
  );
}

/** Erases the content; the time and the declarer stay. */
export async function eraseDeclarations(tx: Sql, document: string): Promise<void> {
  await tx.query(
    `update wallet_declarations set holder_name = 'erased', holder_document = null, statement = 'erased'
      where holder_document = $1`,
    [document],
  );
}
