// trilho psp: starts the simulated PSP, says what an integration needs, and stops when asked to.
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { PROFILE_NAMES } from '../sandbox/psp/profiles.ts';
import type { Psp, PspOptions } from '../sandbox/psp/psp.ts';
import { startPsp } from '../sandbox/psp/start.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { stopAsked } from './stop-asked.ts';

const DEFAULT_PORT = 8443;
const DEFAULT_CONTROL_PORT = 8444;
const DEFAULT_FOLDER = 'psp-keys';

export async function pspCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const stopping = stopAsked();
  const psp = await startPsp(options).catch(error => {
    throw refusalOf(error, options);
  });
  console.log(welcome(psp));
  await stopping;
  await psp.stop();
  return 0;
}

function readOptions(args: readonly string[]): PspOptions & { readonly folder: string } {
  const { options, faults } = readArguments(args, { options: ['port', 'control-port', 'folder', 'profile'] });
  const portOf = (name: string, otherwise: number): number => {
    const text = options[name];
    if (text === undefined) return otherwise;
    if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) faults.push(`--${name} must be a port from 0 to 65535`);
    return Number(text);
  };
  const { folder = DEFAULT_FOLDER, profile: asked = 'bacen' } = options;
  const profile = PROFILE_NAMES.find(name => name === asked);
  if (!profile) faults.push(`--profile has ${quoted(asked)}; there are ${PROFILE_NAMES.join(', ')}`);
  const port = portOf('port', DEFAULT_PORT);
  const controlPort = portOf('control-port', DEFAULT_CONTROL_PORT);
  if (port !== 0 && port === controlPort) faults.push('--port and --control-port must differ');
  refuseFaults('psp', faults);
  return { port, controlPort, folder, ...(profile && { profile }) };
}

/** What a person can mend is said in one line. */
function refusalOf(error: unknown, { folder }: { folder: string }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'ENOTDIR' || code === 'EEXIST' || code === 'EROFS' || code === 'ENOENT') {
    return new StartError(`--folder ${quoted(folder)} cannot be used: ${code}.`);
  }
  return error;
}

function welcome(psp: Psp): string {
  const { clientId, clientSecret, keys, certificate } = psp.client;
  const here = (file: string) => path.relative('', file) || file;
  const rows = [
    ['Base URL', psp.url],
    ...(psp.titlesUrl === undefined ? [] : [['Boletos', psp.titlesUrl]]),
    ['Token URL', psp.tokenUrl],
    ['Client id', clientId],
    ['Client secret', clientSecret],
    ['Pix keys', keys.join(', ')],
    ['CA', here(psp.files.ca)],
    ['Certificate', here(certificate.certificate)],
    ['Its key', here(certificate.key)],
    ['PKCS#12', `${here(certificate.p12)} (password ${certificate.p12Password})`],
    ['Webhook CA', `${here(psp.files.webhookChain)} (of the certificate that notifications carry)`],
    ['Control', psp.controlUrl],
  ];
  const lines = rows.map(([name = '', value]) => `  ${name.padEnd(15)}${value}`);
  return `
  A simulated PSP (${psp.profile}) listens. Nothing here is real money.
${lines.join('\n')}

  Pay a charge:
  curl ${psp.controlUrl}/pay -d '{ "txid": "…" }'
`;
}
