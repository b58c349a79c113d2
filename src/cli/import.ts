// trilho import: records payments from a bank statement.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { importFile } from '../charges/statements/import-file.ts';
import type { Import } from '../charges/statements/statement.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readStatement, type StatementFormat, type StatementOptions } from '../rails/statement/statement.ts';
import { StatementError } from '../rails/statement/statement-error.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';

const FORMATS: readonly StatementFormat[] = ['ofx', 'csv'];
const DEBITS_HAVE_MINUS = 'debits-have-minus';
const MAX_FAULTS_SHOWN = 20;
const MAX_DUPLICATES_SHOWN = 20;

export async function importCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { file, format, options } = readTask(args);
  const bytes = await read(file, format, options);
  const { record, duplicates, faults } = await withCharges({ config, log, action: 'trilho import' }, deps =>
    importFile(deps, { bytes, format, options }),
  );
  const { counts } = record;
  console.log(
    `${counts.matched} paid a charge, ${counts.differing} of another amount, ${counts.repeated} paid again, ${counts.duplicate} possible duplicates, ${counts.returned} returned, ${counts.unmatched} unmatched, ${counts.known} known before, ${counts.outgoing} not incoming.`,
  );
  sayDuplicates(duplicates);
  for (const { line, message } of faults.slice(0, MAX_FAULTS_SHOWN)) console.log(`Line ${line}: ${message}`);
  if (faults.length > MAX_FAULTS_SHOWN)
    console.log(`… and ${faults.length - MAX_FAULTS_SHOWN} more lines that cannot be read.`);
  return faults.length > 0 ? 1 : 0;
}

/** They do not count as payments until a person confirms them. */
function sayDuplicates(duplicates: Import['duplicates']): void {
  if (duplicates.length === 0) return;
  for (const { reference, duplicateOf } of duplicates.slice(0, MAX_DUPLICATES_SHOWN)) {
    console.log(`Possible duplicate: "${reference}" may be "${duplicateOf}".`);
  }
  if (duplicates.length > MAX_DUPLICATES_SHOWN) {
    console.log(`… and ${duplicates.length - MAX_DUPLICATES_SHOWN} more possible duplicates.`);
  }
  console.log('GET /payments/unmatched lists them: record one by its reference, or dismiss it.');
}

function readTask(args: readonly string[]): { file: string; format: StatementFormat; options: StatementOptions } {
  const { positionals, flags, faults } = readArguments(args, { positionals: ['file'], flags: [DEBITS_HAVE_MINUS] });
  const [file = ''] = positionals;
  const debitsHaveMinus = flags.includes(DEBITS_HAVE_MINUS);
  const format = FORMATS.find(ending => file.toLowerCase().endsWith(`.${ending}`));
  if (positionals.length > 0 && !format) faults.push(`<file> must end in .ofx or .csv, not be ${quoted(file)}`);
  if (debitsHaveMinus && format === 'ofx')
    faults.push(`--${DEBITS_HAVE_MINUS} is for CSV: an OFX has signs of its own`);
  refuseFaults('import', faults);
  assert(format, 'a file without a format is a fault');
  return { file, format, options: { debitsHaveMinus } };
}

/** Reads the file before a database is opened; refuses what is not a statement. */
async function read(file: string, format: StatementFormat, options: StatementOptions): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    if (format === 'csv' && looksLikeOfx(bytes)) {
      throw new StatementError('The file is named .csv, but it looks like OFX: give it a name that ends in .ofx.');
    }
    readStatement(bytes, format, options);
    return bytes;
  } catch (error) {
    if (error instanceof StatementError) throw new StartError(error.message);
    throw new StartError(
      `The file ${quoted(file)} cannot be read (${(error as { code?: string }).code ?? 'unknown'}).`,
    );
  }
}

/** OFX 1 begins with its header lines, OFX 2 with an XML declaration. */
function looksLikeOfx(bytes: Buffer): boolean {
  return /^[\s\u00ef\u00bb\u00bf]*(?:OFXHEADER|<\?(?:xml|OFX)|<OFX>)/i.test(bytes.toString('latin1', 0, 200));
}
