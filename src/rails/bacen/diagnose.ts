// Tests a rail from its files to its webhook, and names what is wrong with a way to mend it. Nothing is changed at the PSP
// unless the operator asks for a charge.
import { uuidV7 } from '../../lib/ids.ts';
import { pspIdOf } from './charge-body.ts';
import { isAbsent } from './charges.ts';
import type { Answer } from './classify.ts';
import { exchange } from './exchange.ts';
import { type Opened, openRail } from './rail.ts';
import { textAt } from './read-answer.ts';
import type { BacenDeps, BacenSettings, FullProfile, SettingFault } from './settings.ts';
import { CHARGE_SCOPES, LOCATION_SCOPES, type Scopes, WEBHOOK_SCOPES } from './token.ts';

export type Check = {
  readonly name: string;
  readonly ok: boolean;
  /** A sentence without a secret. */
  readonly detail: string;
  /** What to do about it. */
  readonly mend?: string;
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SOON_DAYS = 30;
/** As with API keys: what ends within these days is wrong now, so that a script tells of it in time. */
const WRONG_DAYS = 14;
const MAX_CLOCK_OFFSET_MS = 30_000;
const TIMEOUT_MS = 10_000;

/** A PSP does not tell which of them it dislikes. */
const TOKEN_MEND =
  'Check clientId, clientSecret, profile, environment and tokenUrl, that certificateFile or pkcs12File is the certificate the PSP ' +
  'issued for this client, and that its contract has every scope.';

const good = (name: string, detail: string): Check => ({ name, ok: true, detail });
const bad = (name: string, detail: string, mend: string): Check => ({ name, ok: false, detail, mend });

export type DiagnoseOptions = {
  /** Registers a charge of one cent and removes it: the only way to learn whether the key can be charged with. */
  readonly triesCharge?: boolean;
};

/** Every check in order; one that needs what has failed is left out. Never throws for a failure of the PSP. */
export async function diagnoseRail(
  settings: BacenSettings,
  deps: BacenDeps,
  options: DiagnoseOptions = {},
): Promise<readonly Check[]> {
  const result = openRail(settings, deps);
  if ('faults' in result) return result.faults.map(faultCheck);
  const { opened } = result;
  try {
    const local = [
      good('settings', 'The profile is known and every file can be read.'),
      ...certificateChecks(opened, deps),
    ];
    const connection = await connectionChecks(opened, deps);
    const isConnected = connection.every(({ name, ok }) => name !== 'connection' || ok);
    return [...local, ...connection, ...(isConnected ? await remoteChecks(settings, opened, deps, options) : [])];
  } finally {
    opened.connections.stop();
  }
}

function faultCheck({ path, message }: SettingFault): Check {
  return bad('settings', `${path} ${message}.`, `Correct ${path} of this rail.`);
}

function certificateChecks({ credentials: { certificate } }: Opened, { clock }: BacenDeps): Check[] {
  if (!certificate) return [good('certificate', 'This environment of the PSP wants no client certificate.')];
  const [from, until] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  const days = Math.floor((until.getTime() - clock.now().getTime()) / DAY_MS);
  const [fromDay, untilDay] = [from, until].map(at => at.toISOString().slice(0, 10));
  const renew = 'Ask the PSP for a new certificate and replace the file; no restart is needed.';
  const key = good('key', 'The private key belongs to the certificate.');
  if (clock.now() < from) {
    return [bad('certificate', `It is not valid before ${fromDay}.`, 'Check the clock of this machine, or wait.'), key];
  }
  if (days < 0) return [bad('certificate', `It expired on ${untilDay}.`, renew), key];
  const words = `It is valid until ${untilDay}, for ${days} more days.`;
  if (days < WRONG_DAYS) return [bad('certificate', words, renew), key];
  const check = good('certificate', words);
  return [days < SOON_DAYS ? { ...check, mend: renew } : check, key];
}

/** TLS in both directions, and the clock of the PSP. */
async function connectionChecks({ connections, profile }: Opened, { clock }: BacenDeps): Promise<Check[]> {
  const request = { method: 'GET', url: new URL(profile.baseUrl), headers: { accept: 'application/json' } } as const;
  const { agent } = connections.current();
  const exchanged = await exchange(agent, request, AbortSignal.timeout(TIMEOUT_MS));
  if ('failure' in exchanged) {
    const mend =
      'Check baseUrl, the network, caFile, and that the certificate is the one the PSP issued for this client.';
    return [bad('connection', `No answer: ${exchanged.failure.reason}.`, mend)];
  }
  const connection = good(
    'connection',
    "The PSP answers, and a trusted authority vouches for its server's certificate.",
  );
  const theirMs = Date.parse(exchanged.answer.headers.date ?? '');
  if (Number.isNaN(theirMs)) return [connection, good('clock', 'The PSP does not tell its time.')];
  // Its time has whole seconds.
  const offsetMs = clock.now().getTime() - theirMs;
  const isOff = Math.abs(offsetMs) > MAX_CLOCK_OFFSET_MS;
  const detail = `This clock is ${Math.round(Math.abs(offsetMs) / 1_000)} s ${offsetMs < 0 ? 'behind' : 'ahead of'} the PSP's.`;
  return [connection, isOff ? bad('clock', detail, 'Set the clock of this machine by NTP.') : good('clock', detail)];
}

async function remoteChecks(
  settings: BacenSettings,
  opened: Opened,
  deps: BacenDeps,
  { triesCharge = false }: DiagnoseOptions,
): Promise<Check[]> {
  const { tokens, call } = opened.client;
  const taken = await tokens.take(CHARGE_SCOPES, AbortSignal.timeout(TIMEOUT_MS));
  if ('kind' in taken) {
    return [bad('token', `${sentence(taken.reason)}.`, TOKEN_MEND)];
  }
  const checks = [good('token', 'The PSP gives a token.')];
  const sets = [CHARGE_SCOPES, WEBHOOK_SCOPES, ...(opened.profile.hasLocations ? [LOCATION_SCOPES] : [])];
  checks.push(await scopesCheck(opened, sets));

  const now = deps.clock.now().getTime();
  const time = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
  const query = { inicio: time(now - MINUTE_MS), fim: time(now) };
  checks.push(accessCheck(opened.profile, await call({ method: 'GET', resource: 'pix', query })));
  const webhook = await call({
    method: 'GET',
    resource: 'webhook',
    path: [settings.pixKey],
    scopes: WEBHOOK_SCOPES,
  });
  if (triesCharge) checks.push(await chargeCheck(settings, opened, deps));
  return [...checks, keyCheck(webhook), ...webhookCheck(settings, webhook)];
}

/** A PSP may grant fewer scopes than requested without an error. */
async function scopesCheck({ client: { tokens } }: Opened, sets: readonly Scopes[]): Promise<Check> {
  const missing: string[] = [];
  let isTold = false;
  for (const scopes of sets) {
    const taken = await tokens.take(scopes, AbortSignal.timeout(TIMEOUT_MS));
    if ('kind' in taken) {
      missing.push(...scopes);
      break;
    }
    const { granted } = taken.token;
    if (granted) isTold = true;
    if (granted) missing.push(...scopes.filter(scope => !granted.includes(scope)));
  }
  if (missing.length > 0) {
    const mend = 'Enable them for this client at the PSP.';
    return bad('scopes', `The PSP does not grant ${missing.join(' ')}.`, mend);
  }
  return good('scopes', isTold ? 'Every scope is granted.' : 'The PSP does not tell which scopes it grants.');
}

function accessCheck({ emptyListIs404 }: FullProfile, answer: Answer): Check {
  if (answer.kind === 'ok' || (emptyListIs404 && isAbsent(answer))) {
    return good('receipts', 'Received payments can be read.');
  }
  return bad(
    'receipts',
    `Received payments cannot be read: ${wordsOf(answer)}.`,
    'Check baseUrl, profile, the scopes and the contract.',
  );
}

/** The norm has no question about a key; its webhook is the only place where one is named alone. */
function keyCheck(webhook: Answer): Check {
  if (webhook.kind === 'ok') return good('pix key', 'The PSP knows the key.');
  if (webhook.kind === 'refused' && webhook.status === 404) {
    return good(
      'pix key',
      'The PSP has no webhook for the key; only a charge shows whether it is a key of this client.',
    );
  }
  const mend = 'Check that pixKey is a key of this client at this PSP, and the scope webhook.read.';
  return bad('pix key', `The PSP does not tell about the key: ${wordsOf(webhook)}.`, mend);
}

const CENT_CHARGE = { calendario: { expiracao: 60 }, valor: { original: '0.01' } };

async function chargeCheck({ pixKey }: BacenSettings, { client: { call } }: Opened, deps: BacenDeps): Promise<Check> {
  const at = { resource: 'cob', path: [pspIdOf(uuidV7(deps.clock.now()))] } as const;
  const made = await call({ ...at, method: 'PUT', body: { ...CENT_CHARGE, chave: pixKey } });
  if (made.kind !== 'ok') {
    const mend = 'Check that pixKey is a key of this client at this PSP, and the scope cob.write.';
    return bad('charge', `The PSP does not take a charge: ${wordsOf(made)}.`, mend);
  }
  const removed = await call({ ...at, method: 'PATCH', body: { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' } });
  return removed.kind === 'ok'
    ? good('charge', 'The PSP took a charge of one cent and removed it.')
    : bad('charge', `The PSP took a charge of one cent, but does not remove it: ${wordsOf(removed)}.`, 'Ask the PSP.');
}

function webhookCheck({ webhook: wanted }: BacenSettings, answer: Answer): Check[] {
  if (answer.kind !== 'ok' && !(answer.kind === 'refused' && answer.status === 404)) return [];
  const url = answer.kind === 'ok' ? textAt(answer.body, 'webhookUrl') : undefined;
  const mend = 'Run trilho rails register-webhook.';
  if (!wanted)
    return [
      good('webhook', url === undefined ? 'None is set up; payments are found by the sweep.' : 'One is registered.'),
    ];
  if (url === undefined) return [bad('webhook', 'None is registered.', mend)];
  // The path is a secret, so neither address is repeated.
  if (url.replace(/\/$/, '') !== wanted.url.replace(/\/$/, '')) {
    return [bad('webhook', 'The registered address is another one.', mend)];
  }
  return [good('webhook', 'It is registered.')];
}

function wordsOf(answer: Answer): string {
  if (answer.kind === 'refused') return `it answered ${answer.status}${answer.code ? ` ${answer.code}` : ''}`;
  return 'reason' in answer ? answer.reason : 'unexpected answer';
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
