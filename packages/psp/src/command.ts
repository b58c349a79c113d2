// The command line of the PSP, for the package's own program and for programs that include it as a command.
import path from 'node:path';
import { PROFILE_NAMES } from './profiles.ts';
import type { Psp, PspOptions } from './psp.ts';
import { PspError } from './psp-error.ts';
import { startPsp } from './start.ts';

const DEFAULT_PORT = 8443;
const DEFAULT_CONTROL_PORT = 8444;
const DEFAULT_FOLDER = 'psp-keys';

/** Options with a value, without their dashes. */
export const PSP_OPTIONS = ['port', 'control-port', 'folder', 'profile'] as const;
type OptionTexts = { readonly [name in (typeof PSP_OPTIONS)[number]]?: string | undefined };
export type CommandOptions = PspOptions & { readonly folder: string };

/** The options, with the defaults of a program, and every fault in them. */
export function readPspOptions(texts: OptionTexts): { readonly options: CommandOptions; readonly faults: string[] } {
  const faults: string[] = [];
  const portOf = (name: 'port' | 'control-port', otherwise: number): number => {
    const text = texts[name];
    if (text === undefined) return otherwise;
    if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) faults.push(`--${name} must be a port from 0 to 65535`);
    return Number(text);
  };
  const { folder = DEFAULT_FOLDER, profile: asked = 'bacen' } = texts;
  const profile = PROFILE_NAMES.find(name => name === asked);
  if (!profile) faults.push(`--profile has ${JSON.stringify(asked)}; there are ${PROFILE_NAMES.join(', ')}`);
  const port = portOf('port', DEFAULT_PORT);
  const controlPort = portOf('control-port', DEFAULT_CONTROL_PORT);
  if (port !== 0 && port === controlPort) faults.push('--port and --control-port must differ');
  return { options: { port, controlPort, folder, ...(profile && { profile }) }, faults };
}

/** A fault that a person can fix becomes a PspError of one line. */
export async function openPsp(options: CommandOptions): Promise<Psp> {
  return startPsp(options).catch((error: NodeJS.ErrnoException) => {
    const { code = '' } = error;
    if (!WRONG_FOLDER.includes(code)) throw error;
    throw new PspError(`--folder ${JSON.stringify(options.folder)} cannot be used: ${code}.`);
  });
}

const WRONG_FOLDER = ['EACCES', 'ENOTDIR', 'EEXIST', 'EROFS', 'ENOENT'];

/** The addresses and credentials of a started PSP for an integration. */
export function welcome(psp: Psp): string {
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

  Take a payment back, as the payer's bank may ask (MED):
  curl ${psp.controlUrl}/med -d '{ "endToEndId": "…", "status": "EM_PROCESSAMENTO" }'
`;
}
