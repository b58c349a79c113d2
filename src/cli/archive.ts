// trilho archive check: verifies files of the archive; no database is needed.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Checked, checkArchive, checkRecords } from '../storage/archive/check.ts';
import type { Head } from '../storage/audit-chain.ts';
import { readArguments, readVerb, refuseFaults } from './arguments.ts';

const BROKEN = 1;

export async function archiveCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  readVerb('archive', args, ['check']);
  const { words, faults } = readArguments(args.slice(1), { words: ['file or folder'] });
  refuseFaults('archive check', faults);
  const [place = ''] = words;
  const checked = await orBroken(checkArchive(place));
  if (!checked) return BROKEN;
  const { records, removed } = checked;
  const filesOf = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;
  for (const { kind, files, first, position, hash } of records) {
    console.log(`${kind}: ${filesOf(files)}, ${first} to ${position}, whole: ${hash}`);
  }
  for (const { kind, files, rows } of removed) console.log(`${kind}, removed: ${filesOf(files)}, ${rows} rows, whole`);
  return 0;
}

/** The records that were verified, or undefined after it was said what is broken. `known` are audit lines as they must be. */
export async function tryArchive(place: string, known: readonly Head[] = []): Promise<readonly Checked[] | undefined> {
  return orBroken(checkRecords(place, known));
}

async function orBroken<T>(checked: Promise<T>): Promise<T | undefined> {
  try {
    return await checked;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.log(`Broken: ${error.message}`);
    return undefined;
  }
}
