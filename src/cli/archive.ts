// trilho archive check: verifies files of the archive; no database is needed.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Checked, checkArchive } from '../storage/archive/check.ts';
import type { Head } from '../storage/audit-chain.ts';
import { readArguments, readVerb, refuseFaults } from './arguments.ts';

const BROKEN = 1;

export async function archiveCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  readVerb('archive', args, ['check']);
  const { positionals, faults } = readArguments(args.slice(1), { positionals: ['file or folder'] });
  refuseFaults('archive check', faults);
  const [place = ''] = positionals;
  const checked = await tryArchive(place);
  if (!checked) return BROKEN;
  for (const { kind, files, first, position, hash } of checked) {
    console.log(`${kind}: ${files} ${files === 1 ? 'file' : 'files'}, ${first} to ${position}, whole: ${hash}`);
  }
  return 0;
}

/** The verified records; undefined when something is broken, which is then printed. `known`: audit lines that the archive must have. */
export async function tryArchive(place: string, known: readonly Head[] = []): Promise<readonly Checked[] | undefined> {
  try {
    return await checkArchive(place, known);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.log(`Broken: ${error.message}`);
    return undefined;
  }
}
