// trilho cnab seen: lists entries of return files that need a person, or marks them as seen.
import { entryView, seeEntries } from '../charges/bank-files/return-entries.ts';
import { type EntryRecord, readUnseen } from '../charges/bank-files/store-return-entries.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';

/** Further ones are counted only. */
const MAX_SHOWN = 100;

/** Exit code 1 when an entry is not seen yet. */
export async function seenCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, { optionalPositionals: ['return'], options: ['line'] });
  const [returnId] = positionals;
  const { line } = options;
  if (returnId !== undefined && !isUuid(returnId)) faults.push('<return> must be the id of a return file');
  if (line !== undefined && !/^[1-9]\d{0,6}$/.test(line)) faults.push('--line must be the number of a line');
  if (line !== undefined && returnId === undefined) faults.push('--line needs <return>');
  refuseFaults('cnab seen', faults);
  return withCharges({ config, log, action: 'trilho cnab seen' }, async deps => {
    if (returnId !== undefined) {
      const entries = { returnId, ...(line !== undefined && { line: Number(line) }) };
      const seen = await seeEntries(deps, entries).catch(rethrown);
      console.log(`${seen} ${seen === 1 ? 'entry is' : 'entries are'} marked as seen.`);
      return 0;
    }
    const { entries, total } = await readUnseen(deps.db, MAX_SHOWN);
    for (const entry of entries) console.log(lineOf(entry));
    console.log(total === 0 ? 'No entry of a return file waits for a person.' : `${total} to see.`);
    return total === 0 ? 0 : 1;
  });
}

function lineOf(entry: EntryRecord): string {
  const { line, words, remark, chargeId } = entryView(entry);
  const about = chargeId === undefined ? '' : `, charge ${chargeId}`;
  return `${entry.rail} return ${entry.returnId} line ${line}${about}: ${words}. ${remark ?? ''}`.trim();
}

/** A fault that an operator can fix becomes a plain sentence. */
function rethrown(error: unknown): never {
  throw error instanceof AppError ? new StartError(error.message) : error;
}
