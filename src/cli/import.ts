// trilho import: records payments from a bank statement.
import { readFile } from 'node:fs/promises';
import { importStatement } from '../charges/statement.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readStatement, type StatementReading } from '../rails/statement/statement.ts';
import { StatementError } from '../rails/statement/statement-error.ts';
import { withCharges } from './database.ts';

const MAX_FAULTS_SHOWN = 20;

export async function importCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const [file = ''] = args;
  const format = /\.(ofx|csv)$/i.exec(file)?.[1]?.toLowerCase() as 'ofx' | 'csv' | undefined;
  if (!format || args.length !== 1) throw new StartError('Usage: trilho import <statement.ofx or statement.csv>');
  const { entries, faults } = await read(file, format);
  const counts = await withCharges({ config, log, action: 'trilho import' }, deps => importStatement(deps, entries));
  console.log(
    `${counts.matched} paid a charge, ${counts.differing} of another amount, ${counts.unmatched} unmatched, ${counts.known} known before, ${counts.outgoing} not incoming.`,
  );
  for (const { line, message } of faults.slice(0, MAX_FAULTS_SHOWN)) console.log(`Line ${line}: ${message}`);
  if (faults.length > MAX_FAULTS_SHOWN)
    console.log(`… and ${faults.length - MAX_FAULTS_SHOWN} more lines that cannot be read.`);
  return faults.length > 0 ? 1 : 0;
}

async function read(file: string, format: 'ofx' | 'csv'): Promise<StatementReading> {
  try {
    return readStatement(await readFile(file), format);
  } catch (error) {
    if (error instanceof StatementError) throw new StartError(error.message);
    throw new StartError(`The file cannot be read (${(error as { code?: string }).code ?? 'unknown'}).`);
  }
}
