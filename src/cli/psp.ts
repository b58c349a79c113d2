// trilho psp: starts the simulated PSP, prints what an integration needs, and runs until it is stopped.
import { openPsp, PSP_OPTIONS, PspError, readPspOptions, welcome } from '@trilho/psp';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { stopAsked } from './stop-asked.ts';

export async function pspCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { options: PSP_OPTIONS });
  const { options, faults } = readPspOptions(given.options);
  refuseFaults('psp', [...given.faults, ...faults]);
  const stopping = stopAsked();
  const psp = await openPsp(options).catch(error => {
    throw error instanceof PspError ? new StartError(error.message) : error;
  });
  console.log(welcome(psp));
  await stopping;
  await psp.stop();
  return 0;
}
