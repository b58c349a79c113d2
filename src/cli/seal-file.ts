// trilho secrets seal and unseal: seals files with a password or a key in place with the master key. The content is never lost: the
// sealed file is written beside the original, read back and opened before it replaces it.
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import { writeDurably } from '../lib/files/write-durably.ts';
import { keyIdOf } from '../lib/sealing.ts';
import { openSealed, sealedFileKey, sealedText } from '../lib/settings/sealed-file.ts';

/** The most that any reader of such a file takes. */
const MAX_FILE_BYTES = 64 * 1024;
const PERMISSIONS = 0o777;

export async function sealFile({ masterKeys }: Config, named: string): Promise<number> {
  const [key] = masterKeys;
  if (!key) throw new StartError('trilho secrets seal needs TRILHO_MASTER_KEY; see trilho secrets key.');
  const { file, stats, stored, content } = readNamed(named);
  if (sealedFileKey(stored) === keyIdOf(key)) {
    console.log(`${named} is already sealed with the key ${keyIdOf(key)}.`);
    return 0;
  }
  if (masterKeys.some(one => content.includes(one.toString('base64')))) {
    throw new StartError(`${named} holds the master key, which nothing else could open: it is not sealed.`);
  }
  if (content.length === 0) throw new StartError(`${named} is empty: there is nothing to seal.`);
  await replace(file, stats, sealedText(key, content), content);
  console.log(`${named} is sealed with the key ${keyIdOf(key)}.`);
  return 0;
}

export async function unsealFile(_config: Config, named: string): Promise<number> {
  process.stdout.write(readNamed(named).content);
  return 0;
}

function readNamed(named: string) {
  try {
    // The target of a symbolic link is sealed, and the link stays.
    const file = realpathSync(named);
    const stats = statSync(file);
    if (!stats.isFile()) throw new StartError(`${named} is not a file.`);
    if (stats.size > MAX_FILE_BYTES) throw new StartError(`${named} is too large for a password or a key.`);
    const stored = readFileSync(file);
    return { file, stats, stored, content: openSealed(stored) };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${named} cannot be read (${(error as { code?: string }).code ?? 'unknown error'}).`);
  }
}

/** The new file has the owner and permissions of the old one. */
async function replace(file: string, { mode, uid, gid }: Stats, text: string, content: Buffer): Promise<void> {
  try {
    await writeDurably(file, text, {
      prepare: async handle => {
        await handle.chown(uid, gid);
        await handle.chmod(mode & PERMISSIONS);
      },
      check: async draft => {
        if (!openSealed(await readFile(draft)).equals(content)) throw new Error('the sealed file does not open');
      },
    });
  } catch (error) {
    throw new StartError(
      `The file cannot be sealed (${(error as { code?: string }).code ?? (error as Error).message}).`,
    );
  }
}
