// Runs our encoders and readers over a folder of published reference data: `npm run conformance -- data <folder>`. It exits
// with code 1 when one of them differs, and 2 when there is no such folder. The project's own tests do not need it.
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { checkBoletos } from './boletos.ts';
import { checkBrCodes } from './br-codes.ts';
import { checkCnab } from './cnab.ts';
import { checkDueDates } from './due-dates.ts';
import { formatRows, type Row, startTally } from './report.ts';
import { checkTaxIds } from './tax-ids.ts';

// Each check names the shape it expects of its file; one of another shape fails in it, loudly.
type Check = (file: string, data: never) => Row[] | Promise<Row[]>;

const CHECKS: { readonly [file: string]: Check } = {
  'boleto-vectors.json': checkBoletos,
  'brcode-vectors.json': checkBrCodes,
  'cobv-due-date-examples.json': checkDueDates,
  'tax-id-vectors.json': checkTaxIds,
};

const CNAB_FILE = /\.(rem|ret)$/i;

const folder = process.argv[2];
if (folder === undefined || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
  console.error('usage: npm run conformance -- data <folder of reference data>');
  process.exit(2);
}

const files = globSync('**/*', { cwd: folder, withFileTypes: true })
  .filter(entry => entry.isFile())
  .map(entry => path.relative(folder, path.join(entry.parentPath, entry.name)))
  .sort();
const rows: Row[] = [];
for (const file of new Set([...Object.keys(CHECKS), ...files])) rows.push(...(await rowsOf(folder, file, files)));
console.log(formatRows(rows));
process.exitCode = rows.some(({ failures }) => failures.length > 0) ? 1 : 0;

/** The rows of one file. If the file of a check is missing, that is a failure. */
async function rowsOf(folder: string, file: string, files: readonly string[]): Promise<Row[]> {
  const check = CHECKS[file];
  if (check && files.includes(file)) return check(file, readJson(folder, file) as never);
  if (CNAB_FILE.test(file)) return checkCnab(file, readFileSync(path.join(folder, file)));
  const tally = startTally(file, '');
  if (check) tally.check('the folder', () => assert.fail('this file is not there'));
  else if (file.endsWith('.md')) tally.skip('notes about the data');
  else if (file.endsWith('.examples.json')) {
    tally.skip('later: examples of messages, which we do not read yet', Object.keys(readJson(folder, file)).length);
  } else tally.skip('later: a file that we do not read yet');
  return [tally.row()];
}

function readJson(folder: string, file: string): object {
  return JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as object;
}
