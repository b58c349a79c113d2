#!/usr/bin/env node
// npx @trilho/psp: starts the simulated PSP, prints what an integration needs, and stops at SIGINT or SIGTERM.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { openPsp, readPspOptions, welcome } from './command.ts';
import { PROFILE_NAMES } from './profiles.ts';
import { PspError } from './psp-error.ts';

const HELP = `Starts a simulated PSP: a bank that speaks the Central Bank's Pix API over mTLS. No money moves.

  npx @trilho/psp [--profile <name>] [--port <number>] [--control-port <number>] [--folder <path>]

  --profile       ${PROFILE_NAMES.join(', ')}; bacen when absent
  --port          of the API; 8443 when absent, 0 for a free one
  --control-port  of the control API; 8444 when absent, 0 for a free one
  --folder        for keys and certificates; psp-keys when absent
`;
const REFUSED = 2;

function readOptions() {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { port: text, 'control-port': text, folder: text, profile: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) return undefined;
  const { options, faults } = readPspOptions(values);
  if (faults.length > 0) throw new PspError(`${faults.join('; ')}.`);
  return options;
}

async function run(): Promise<void> {
  const options = readOptions();
  if (!options) {
    console.log(HELP);
    return;
  }
  const stopping = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const psp = await openPsp(options);
  console.log(welcome(psp));
  await stopping;
  await psp.stop();
}

try {
  await run();
} catch (error) {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!(error instanceof PspError || code.startsWith('ERR_PARSE_ARGS'))) throw error;
  console.error(`${message} See --help.`);
  process.exitCode = REFUSED;
}
