// Ties a folder to its database: `archive.json` names the installation. Rows written into an empty folder, such as one whose disk is not
// mounted, would be hidden once the disk is mounted over it.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from 'typebox';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { checkSchema } from '../../lib/settings/check-schema.ts';
import type { Sql } from '../database.ts';
import { ARCHIVE_KINDS } from './block.ts';
import { notTheArchive, requireBlockBefore } from './check.ts';
import { readCut } from './cuts.ts';

const OWNER_FILE = 'archive.json';

const Owner = Type.Object(
  { installation: Type.String({ pattern: '^[0-9a-f-]{36}$' }) },
  { additionalProperties: false },
);

/**
 * Refuses a folder that is not the archive of this database; call it before writing there. The first folder becomes the archive, as does
 * one without `archive.json` from an earlier version whose last blocks match. The file is written before the database records it, so a
 * crash between the two leaves a folder that names its database.
 */
export async function requireArchive(sql: Sql, dir: string): Promise<void> {
  const [own] = await sql.query<{ id: string; has_archive: boolean }>('select id, has_archive from installation');
  const { id, has_archive: hasArchive } = own!;
  const file = path.join(dir, OWNER_FILE);
  const owner = await readOwner(file);
  if (owner !== undefined && owner.installation !== id) throw notTheArchive(`${file} names another database.`);
  if (owner === undefined) {
    const content = JSON.stringify({ installation: id } satisfies Static<typeof Owner>);
    if (hasArchive) throw notTheArchive(`${file} is not there; in the archive it is ${content}`);
    for (const kind of ARCHIVE_KINDS) await requireBlockBefore(dir, kind, await readCut(sql, kind));
    await writeDurably(file, `${content}\n`);
  }
  if (!hasArchive) await sql.query('update installation set has_archive = true where not has_archive');
}

/** Undefined when the file does not exist. */
async function readOwner(file: string): Promise<Static<typeof Owner> | undefined> {
  try {
    const checked = checkSchema(Owner, JSON.parse(await readFile(file, 'utf8')));
    if ('value' in checked) return checked.value;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw notTheArchive(`${file} cannot be read.`);
}
