// trilho cnab exchange: sends and fetches files at the SFTP server of a bank now.

import { type Exchanged, exchangeNow } from '../charges/bank-files/exchange-files.ts';
import { startDecisionBatches } from '../charges/issue/decide.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { chosenAgreement } from './chosen-agreement.ts';
import { composedRails } from './composed-rails.ts';
import { withCharges } from './database.ts';

/** Exit code 1 when a file on the server is not a return of the agreement. */
export async function exchangeFiles(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, {
    optionalPositionals: ['agreement'],
    options: ['file'],
  });
  const { file } = options;
  if (file !== undefined && !/^[1-9]\d{0,5}$/.test(file)) faults.push('--file must be the number of a file');
  refuseFaults('cnab exchange', faults);
  const { name } = chosenAgreement(config, positionals[0]);
  const again = file === undefined ? undefined : Number(file);
  const exchanged = await withCharges({ config, log, action: 'trilho cnab exchange' }, async deps => {
    const rails = composedRails(config, { clock: deps.clock, log });
    const decisionBatches = startDecisionBatches({ ...deps, rails });
    return exchangeNow({ ...deps, rails, log, decisionBatches }, name, again).catch(rethrown);
  });
  for (const line of linesOf(exchanged)) console.log(line);
  return exchanged.fetched.some(({ refusal, failure }) => refusal !== undefined || failure !== undefined) ? 1 : 0;
}

/** A fault that an operator can fix becomes a plain sentence. */
function rethrown(error: unknown): never {
  throw error instanceof AppError ? new StartError(error.message) : error;
}

function linesOf({ rail, sent, fetched }: Exchanged): string[] {
  const files = fetched.map(({ name, entries, refusal, failure }) => {
    if (failure !== undefined) return `${rail}: ${failure}`;
    if (refusal !== undefined) return `${rail}: ${name} is not a return. ${refusal}`;
    return `${rail}: fetched ${name}, ${entries} entries.`;
  });
  const last = sent.length === 0 ? `${rail}: nothing to send.` : `${rail}: sent ${sent.join(', ')}.`;
  return [...files, last];
}
