// Tests a rail from its files to its webhook, and says what is wrong and how to fix it. Nothing is changed at the PSP unless the operator
// asks for a charge.
import { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { AUTOMATIC_NOTICES } from '../automatic.ts';
import type { Check } from '../bank-client/check.ts';
import type { Answer } from '../bank-client/classify.ts';
import { bad, clientChecks, faultCheck, good, messageOf } from '../bank-client/diagnose.ts';
import { textAt } from '../bank-client/read-answer.ts';
import { automaticWebhooksAt } from './automatic/webhooks.ts';
import { pspIdOf } from './charge-body.ts';
import { isAbsent } from './charges.ts';
import { AUTOMATIC_SCOPES, CHARGE_SCOPES, LOCATION_SCOPES, WEBHOOK_SCOPES } from './profile.ts';
import { type Opened, openRail } from './rail.ts';
import type { BacenDeps, BacenSettings, FullProfile } from './settings.ts';

const MINUTE_MS = 60_000;

type DiagnoseOptions = {
  /** Registers a charge of one cent and removes it: the only way to learn whether the key can be charged with. */
  readonly triesCharge?: boolean;
};

/** Every check in order; checks that depend on a failed one are skipped. Never throws for a failure of the PSP. */
export async function diagnoseRail(
  settings: BacenSettings,
  deps: BacenDeps,
  options: DiagnoseOptions = {},
): Promise<readonly Check[]> {
  const result = openRail(settings, deps);
  if ('faults' in result) return result.faults.map(faultCheck);
  const { opened } = result;
  const sets = [
    ...[CHARGE_SCOPES, WEBHOOK_SCOPES],
    ...(opened.profile.hasLocations ? [LOCATION_SCOPES] : []),
    ...(settings.automatic ? [AUTOMATIC_SCOPES] : []),
  ];
  try {
    return await clientChecks(opened, deps, sets, () => remoteChecks(settings, opened, deps, options));
  } finally {
    opened.connections.stop();
  }
}

async function remoteChecks(
  settings: BacenSettings,
  opened: Opened,
  deps: BacenDeps,
  { triesCharge = false }: DiagnoseOptions,
): Promise<Check[]> {
  const { call } = opened.client;
  const checks: Check[] = [];
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
  const charge = triesCharge ? [await chargeCheck(settings, opened, deps)] : [];
  const isTried = charge.some(({ ok }) => ok);
  const automatic = await automaticChecks(settings, opened);
  return [...checks, ...charge, keyCheck(webhook, isTried), ...webhookCheck(settings, webhook), ...automatic];
}

function accessCheck({ emptyListIs404 }: FullProfile, answer: Answer): Check {
  if (answer.kind === 'ok' || (emptyListIs404 && isAbsent(answer))) {
    return good('receipts', 'Received payments can be read.');
  }
  return bad(
    'receipts',
    `Received payments cannot be read: ${messageOf(answer)}.`,
    'Check baseUrl, profile, the scopes and the contract.',
  );
}

/** The norm has no call about a key; only its webhook is addressed by the key alone. */
function keyCheck(webhook: Answer, isTried: boolean): Check {
  if (webhook.kind === 'ok') return good('pix key', 'The PSP knows the key.');
  if (isTried) return good('pix key', 'The PSP accepted a charge for the key.');
  if (webhook.kind === 'refused' && webhook.status === 404) {
    const detail = 'The PSP has no webhook for the key, so it is not known whether it is a key of this client.';
    return { ...good('pix key', detail), mend: 'Run trilho doctor --try-charge.' };
  }
  const mend = 'Check that pixKey is a key of this client at this PSP, and the scope webhook.read.';
  return bad('pix key', `The PSP does not answer about the key: ${messageOf(webhook)}.`, mend);
}

const CENT_CHARGE = { calendario: { expiracao: 60 }, valor: { original: '0.01' } };

async function chargeCheck({ pixKey }: BacenSettings, { client: { call } }: Opened, deps: BacenDeps): Promise<Check> {
  const at = { resource: 'cob', path: [pspIdOf(uuidV7(deps.clock.now()))] } as const;
  const made = await call({ ...at, method: 'PUT', body: { ...CENT_CHARGE, chave: pixKey } });
  if (made.kind !== 'ok') {
    const mend = 'Check that pixKey is a key of this client at this PSP, and the scope cob.write.';
    return bad('charge', `The PSP does not accept a charge: ${messageOf(made)}.`, mend);
  }
  const removed = await call({ ...at, method: 'PATCH', body: { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' } });
  return removed.kind === 'ok'
    ? good('charge', 'The PSP accepted a charge of one cent and removed it.')
    : bad(
        'charge',
        `The PSP accepted a charge of one cent, but does not remove it: ${messageOf(removed)}.`,
        'Ask the PSP.',
      );
}

function webhookCheck({ webhook: wanted }: BacenSettings, answer: Answer): Check[] {
  if (answer.kind !== 'ok' && !(answer.kind === 'refused' && answer.status === 404)) return [];
  const url = answer.kind === 'ok' ? textAt(answer.body, 'webhookUrl') : undefined;
  const mend = 'Run trilho rails register-webhook.';
  if (!wanted)
    return [
      good('webhook', url === undefined ? 'There is no webhook; the sweep finds payments.' : 'One is registered.'),
    ];
  if (url === undefined) return [bad('webhook', 'No webhook is registered.', mend)];
  // The path is a secret, so neither address is repeated.
  if (url.replace(/\/$/, '') !== wanted.url.replace(/\/$/, '')) {
    return [bad('webhook', 'The registered address is another one.', mend)];
  }
  return [good('webhook', 'It is registered.')];
}

/** Whether the PSP answers about Pix Automático, and where it sends its notifications. */
async function automaticChecks(settings: BacenSettings, { profile, client }: Opened): Promise<Check[]> {
  const { automatic, webhook: wanted } = settings;
  if (!automatic) return [];
  const { readWebhook } = automaticWebhooksAt(profile, client);
  try {
    const found = await Promise.all(AUTOMATIC_NOTICES.map(readWebhook));
    const isElsewhere = found.some(one => one?.url.replace(/\/$/, '') !== wanted?.url.replace(/\/$/, ''));
    if (!wanted) return [good('Pix Automático', 'The PSP offers it; looks find what payers do.')];
    if (!isElsewhere) return [good('Pix Automático', 'The PSP offers it, and its webhooks are registered.')];
    const mend = 'Run trilho rails register-webhook.';
    return [bad('Pix Automático', 'Its notifications go to another address or to none.', mend)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      bad('Pix Automático', error.message, 'Check the contract, and the scopes of rec, cobr and their webhooks.'),
    ];
  }
}
