// trilho cnab read: books the entries of a return file.

import { CnabError, occurrenceOf, readHead } from '@trilho/cnab';
import { type ReadReturn, readReturn } from '../charges/bank-files/read-return.ts';
import {
  type EntryForPerson,
  FOR_A_PERSON,
  RETURN_OUTCOMES,
  readForPerson,
} from '../charges/bank-files/store-returns.ts';
import { startDecisionBatches } from '../charges/issue/decide.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { chosenAgreement } from './chosen-agreement.ts';
import { readBytes } from './cnab-bytes.ts';
import { composedRails } from './composed-rails.ts';
import { withCharges } from './database.ts';

export async function readFiles(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, { positionals: ['file'], options: ['agreement'] });
  refuseFaults('cnab read', faults);
  const [file = ''] = positionals;
  const { agreement } = options;
  if (agreement !== undefined || config.boletos.length === 0) chosenAgreement(config, agreement);
  const { bytes, bank } = explained(() => {
    const read = readBytes(file);
    // The database is opened only for a file that can be read.
    return { bytes: read, bank: readHead(read).bank };
  });
  const { read, entries } = await withCharges({ config, log, action: 'trilho cnab read' }, async deps => {
    const rails = composedRails(config, { clock: deps.clock, log });
    const decisionBatches = startDecisionBatches({ ...deps, rails });
    const done = await readReturn({ ...deps, rails, decisionBatches }, bytes, agreement).catch(rethrown);
    return { read: done, entries: await readForPerson(deps.db, done.file, MAX_SHOWN) };
  });
  for (const line of [...linesOf(read), ...entries.map(entry => lineOf(bank, entry))]) console.log(line);
  return needsPerson(read) ? 1 : 0;
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return rethrown(error);
  }
}

function rethrown(error: unknown): never {
  throw error instanceof CnabError ? new StartError(error.message) : error;
}

/** Further ones are counted only. */
const MAX_SHOWN = 100;

function needsPerson({ file: { counts } }: ReadReturn): boolean {
  return FOR_A_PERSON.some(outcome => counts[outcome] !== undefined);
}

function linesOf({ file, isKnown }: ReadReturn): string[] {
  const { rail, sequence, madeOn, booked, counts, warnings } = file;
  const ends = RETURN_OUTCOMES.flatMap(outcome =>
    counts[outcome] === undefined ? [] : `${counts[outcome]} ${outcome.replaceAll('_', ' ')}`,
  );
  const made = madeOn === undefined ? '' : ` of ${madeOn}`;
  return [
    `${rail} return ${sequence}${made}${isKnown ? ', read before' : ''}: ${booked} entries, ${ends.join(', ') || 'nothing'}.`,
    ...warnings.map(({ message, line, count }) => `Warning: ${whereOf(line, count)}: ${message}.`),
  ];
}

function lineOf(bank: string, { line, occurrence, outcome, remark, chargeId }: EntryForPerson): string {
  const about = chargeId === undefined ? '' : ` charge ${chargeId},`;
  const why = remark === undefined ? '' : `: ${remark.replace(/\.$/, '')}`;
  return `Line ${line},${about} ${occurrenceOf(bank, occurrence).text}, ${outcome.replaceAll('_', ' ')}${why}.`;
}

function whereOf(line: number, count: number): string {
  if (line === 0) return 'the file';
  return count === 1 ? `line ${line}` : `line ${line} and ${count - 1} more`;
}
