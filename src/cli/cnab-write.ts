// trilho cnab write: writes files for a bank into a folder.
import path from 'node:path';
import { type OfferedFile, offerAgain, offerFiles } from '../charges/bank-files/offer-files.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { chosenAgreement } from './chosen-agreement.ts';
import { composedRails } from './composed-rails.ts';
import { withCharges } from './database.ts';

export async function writeFiles(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, {
    optionalPositionals: ['agreement'],
    options: ['folder', 'file'],
  });
  const sequence = options['file'] === undefined ? undefined : Number(options['file']);
  if (sequence !== undefined && !/^[1-9]\d{0,5}$/.test(options['file'] ?? '')) {
    faults.push('--file must be the number of a file');
  }
  refuseFaults('cnab write', faults);
  const { name, sendFolder } = chosenAgreement(config, positionals[0]);
  const given = options['folder'] ?? sendFolder;
  if (given === undefined) throw new StartError(`${name} has no sendFolder: set it, or give --folder.`);
  const folder = path.resolve(given);
  const offered = await withCharges({ config, log, action: 'trilho cnab write' }, async deps => {
    const rails = composedRails(config, { clock: deps.clock, log });
    const making = { ...deps, rails, log };
    if (sequence === undefined) return explained(() => offerFiles(making, name, folder));
    return [await explained(() => offerAgain(making, { rail: name, sequence }, folder))];
  });
  for (const file of offered) console.log(lineOf(file));
  if (offered.length === 0) console.log(`Nothing of ${name} waits for a file.`);
  return 0;
}

/** A fault that an operator can fix becomes a plain sentence. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? new StartError(error.message) : error;
  }
}

function lineOf({ rail, sequence, titles, digest, path: place }: OfferedFile): string {
  return `${rail} file ${sequence}: ${titles} ${titles === 1 ? 'title' : 'titles'}, SHA-256 ${digest}, ${place}`;
}
