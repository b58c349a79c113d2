// The SQL of the cuts: how far events and the audit log were moved into the archive.
import type { Sql } from '../database.ts';
import type { ArchiveKind } from './block.ts';

/** The last row that was moved, and the hash that the next row or block continues. Position 0: nothing was moved yet. */
export type Cut = { readonly position: number; readonly hash: string };

export async function readCut(sql: Sql, kind: ArchiveKind): Promise<Cut> {
  const [row] = await sql.query<{ position: string; hash: string }>(
    `select position, encode(hash, 'hex') as hash from archive_cuts where kind = $1`,
    [kind],
  );
  return { position: Number(row!.position), hash: row!.hash };
}

/** False when another node has moved it meanwhile. */
export async function moveCut(tx: Sql, kind: ArchiveKind, from: Cut, to: Cut): Promise<boolean> {
  const rows = await tx.query(
    `update archive_cuts set position = $3, hash = decode($4, 'hex') where kind = $1 and position = $2 returning kind`,
    [kind, from.position, to.position, to.hash],
  );
  return rows.length > 0;
}
