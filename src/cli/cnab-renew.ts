// trilho cnab renew: puts the unanswered instructions of a file into a new one.
import { renewFile } from '../charges/bank-files/renew-file.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { chosenAgreement } from './chosen-agreement.ts';
import { composedRails } from './composed-rails.ts';
import { withCharges } from './database.ts';

export async function renewCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, {
    optionalPositionals: ['agreement'],
    neededOptions: ['file'],
  });
  const file = options['file'] ?? '1';
  if (!/^[1-9]\d{0,5}$/.test(file)) faults.push('--file must be the number of a file');
  refuseFaults('cnab renew', faults);
  const { name } = chosenAgreement(config, positionals[0]);
  const { files, closed } = await withCharges({ config, log, action: 'trilho cnab renew' }, deps => {
    const rails = composedRails(config, { clock: deps.clock, log });
    return renewFile({ ...deps, rails, log }, { rail: name, sequence: Number(file) }).catch(rethrown);
  });
  if (closed > 0) {
    console.log(
      `File ${file}: ${closed} ${closed === 1 ? 'instruction needs' : 'instructions need'} no answer any more.`,
    );
  }
  for (const { sequence, titles } of files) {
    console.log(`${name} file ${sequence}: ${titles} ${titles === 1 ? 'title' : 'titles'}.`);
  }
  if (files.length === 0) console.log(`Nothing of ${name} waits for a file.`);
  return 0;
}

/** A fault that an operator can fix becomes a plain sentence. */
function rethrown(error: unknown): never {
  throw error instanceof AppError ? new StartError(error.message) : error;
}
