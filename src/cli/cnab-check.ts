// trilho cnab check: explains a file of boletos (CNAB 240).

import { CnabError, type ExplainedField, type ExplainedRecord, explainFile } from '@trilho/cnab';
import { StartError } from '../lib/errors.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { readBytes } from './cnab-bytes.ts';

export function checkFile(args: readonly string[]): number {
  const { positionals, flags, faults } = readArguments(args, { positionals: ['file'], flags: ['problems'] });
  refuseFaults('cnab check', faults);
  const [file = ''] = positionals;
  return check(file, flags.includes('problems'));
}

/** Prints every record, or only what is wrong. Exit code 1 when something is. */
function check(file: string, onlyProblems: boolean): number {
  try {
    const records = explainFile(readBytes(file));
    let titles = 0;
    for (let next = records.next(); ; next = records.next()) {
      if (next.done) {
        const { warnings, faults } = next.value;
        const problems = faults + warnings.length;
        for (const { message, line, count } of warnings) print(`${whereOf(line, count)}: ${message}`);
        print(`${titles} titles, ${problems === 0 ? 'nothing wrong' : `${problems} problems`}`);
        return problems === 0 ? 0 : 1;
      }
      if (/^segment [PT]/.test(next.value.name)) titles++;
      printRecord(next.value, onlyProblems);
    }
  } catch (error) {
    if (error instanceof CnabError) throw new StartError(error.message);
    throw error;
  }
}

function printRecord({ line, name, fields }: ExplainedRecord, onlyProblems: boolean): void {
  const shown = fields.filter(({ fault, text }) => fault !== undefined || (!onlyProblems && text.trim() !== ''));
  if (shown.length === 0 && onlyProblems) return;
  print(`line ${line}, ${name}`);
  for (const field of shown) print(lineOf(field));
}

function lineOf({ from, to, label, text, meaning, fault }: ExplainedField): string {
  const columns = `${from}–${to}`.padStart(9);
  const tail = [meaning && `= ${meaning}`, fault && `WRONG: ${fault}`].filter(Boolean).join('  ');
  return `${columns}  ${label.padEnd(34)}  "${text}"${tail && `  ${tail}`}`;
}

function whereOf(line: number, count: number): string {
  if (line === 0) return 'the file';
  return count === 1 ? `line ${line}` : `line ${line} and ${count - 1} more`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
