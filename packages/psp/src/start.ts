// Starts a simulated PSP: the API over mTLS, and the control API beside it.
import { randomInt } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApiServer, createApiServer } from './api-server.ts';
import { createAgenda } from './automatic/agenda.ts';
import { automaticControl } from './automatic/control.ts';
import { notifyAutomaticPix } from './automatic/notices.ts';
import { payCode } from './automatic/payer.ts';
import { DEFAULT_AUTOMATIC_RULES } from './automatic/rules.ts';
import { openKeyFolder } from './certificates/key-folder.ts';
import {
  type ClientInput,
  DEFAULT_ACCOUNT,
  DEFAULT_CLIENT,
  DEFAULT_RECEIVER,
  type PspClient,
  SCOPES,
} from './clients.ts';
import { createControlServer } from './control-server.ts';
import type { Core } from './core.ts';
import { createFaults } from './faults.ts';
import { createNotifier } from './notifier.ts';
import { PspRefusal } from './payer.ts';
import { createPayloads, JWKS_PATH } from './payload.ts';
import type { PaidPix, PixRecord } from './pix-record.ts';
import { PROFILES } from './profiles.ts';
import type { Clock, Psp, PspOptions } from './psp.ts';
import { PspError } from './psp-error.ts';
import { randomFrom } from './random.ts';
import { endRefund, medReturn } from './refunds.ts';
import { showState } from './show-state.ts';
import { change, chargeKey, current, emptyState } from './state.ts';
import { DEFAULT_CONTRACT } from './titles/contract.ts';
import { cobrancaNotice } from './titles/inter.ts';
import { titleApiOf, titleScopes } from './titles/routes.ts';
import { payTitle, titlePaidByPix } from './titles/title.ts';
import { titleState } from './titles/view.ts';
import { createTokens } from './tokens.ts';
import { pixView } from './views.ts';
import { createWebhookClient } from './webhook-client.ts';

const MACHINE: Clock = { now: () => new Date() };
const MINUTE_MS = 60_000;
const EFI_RETRIES_MS = Array.from({ length: 10 }, (_, index) => 5 * MINUTE_MS * 2 ** index);
const WEBHOOK_TIMEOUT_MS = 10_000;
const HOST = 'localhost';
const TICK_MS = 1000;
const MAX_SEED = 2 ** 32;
/** The seed is the same at each start, so that a run with faults can be repeated. */
const DEFAULT_FAULT_SEED = 1;

/**
 * @example
 * const psp = await startPsp({ profile: 'efi' });
 * // … create a charge at psp.url with psp.client, then
 * await psp.pay({ emv: charge.pixCopiaECola });
 * await psp.stop();
 */
export async function startPsp(options: PspOptions = {}): Promise<Psp> {
  const { profile: name = 'bacen', clock = MACHINE, webhooks = {} } = options;
  const profile = PROFILES[name];
  const keys = await openKeyFolder(options.folder);
  // An end-to-end id is globally unique, so two PSPs or two starts must not create the same ones.
  const random = randomFrom(options.seed ?? randomInt(MAX_SEED));
  const state = emptyState();
  const faults = createFaults(randomFrom(options.seed ?? DEFAULT_FAULT_SEED));
  const timers = new Set<NodeJS.Timeout>();
  let offsetMs = 0;
  let port = 0;
  const now = () => (offsetMs === 0 ? clock.now() : new Date(clock.now().getTime() + offsetMs));
  const webhookClient = createWebhookClient({
    psp: keys.webhook,
    foreign: keys.foreignWebhook,
    trust: [keys.ca.certificatePem, ...(webhooks.trust === undefined ? [] : [webhooks.trust])],
    timeoutMs: webhooks.timeoutMs ?? WEBHOOK_TIMEOUT_MS,
  });
  const notifier = createNotifier({
    state,
    client: webhookClient,
    random,
    now,
    nextFault: faults.onNotification,
    retryMs: webhooks.retryMs ?? EFI_RETRIES_MS,
    groupMs: webhooks.groupMs ?? 0,
  });
  const core: Core = {
    profile,
    state,
    random,
    faults,
    notifier: {
      ...notifier,
      pixChanged: pix => {
        if (!notifyAutomaticPix(core, pix)) notifier.pixChanged(pix);
      },
    },
    clients: new Map(),
    host: () => `${HOST}:${port}`,
    baseUrl: () => `https://${HOST}:${port}${profile.basePath}`,
    now,
    refundRule: options.refunds ?? { status: 'DEVOLVIDO', afterMs: 0 },
    allowHttpWebhooks: webhooks.allowHttp ?? false,
    titleRule: { processing: 1 },
    automatic: { rules: { ...DEFAULT_AUTOMATIC_RULES, ...options.automatic }, refusal: undefined },
    agenda: createAgenda(),
    titleChanged: title => {
      const webhook = state.titleWebhooks.get(title.clientId);
      if (webhook) notifier.tell(webhook.webhookUrl, [cobrancaNotice(core, title)]);
    },
    pixPaid: pix => titlePaidByPix(core, pix),
    later: (ms, work) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        work();
      }, ms);
      timers.add(timer);
    },
  };
  const scopes = [...SCOPES, ...titleScopes(name)];
  const tokens = createTokens(core, options.tokenSeconds ?? profile.token.seconds, scopes);
  const payloads = createPayloads(core, keys.signing);
  const titleApi = titleApiOf(name);
  const api = createApiServer({ core, keys, tokens, payloads, titleApi });

  async function addClient(input: ClientInput): Promise<PspClient> {
    const taken = [...core.clients.values()].flatMap(client => client.keys);
    const doubled = input.keys.find(key => taken.includes(key));
    if (core.clients.has(input.clientId)) throw new PspError(`There is a client ${input.clientId} already.`);
    if (doubled !== undefined) throw new PspError(`The key ${doubled} is of another client.`);
    const certificate = await keys.clientFiles(input.clientId);
    const client = {
      scopes,
      receiver: DEFAULT_RECEIVER,
      account: DEFAULT_ACCOUNT,
      contract: DEFAULT_CONTRACT,
      ...input,
      certificate,
    };
    core.clients.set(client.clientId, client);
    return client;
  }

  function requirePix(endToEndId: string): PixRecord {
    const pix = state.pix.get(endToEndId);
    if (!pix) throw new PspRefusal('not_found', 'There is no such payment.');
    return pix;
  }

  const runDue = () => core.agenda.run(now());
  // A receiver may only wait for its webhook, and so move the clock without a call.
  const ticking = setInterval(runDue, TICK_MS).unref();

  const clients = options.clients ?? [DEFAULT_CLIENT];
  for (const client of clients) await addClient(client);
  const client = core.clients.get(clients[0]?.clientId ?? '');
  if (!client) throw new PspError('A PSP needs a client.');

  const psp: Omit<Psp, 'url' | 'titlesUrl' | 'tokenUrl' | 'controlUrl' | 'jwksUrl'> = {
    profile: name,
    client,
    files: { folder: keys.folder, ca: keys.caFile, webhookChain: keys.webhookChainFile, receiver: keys.receiver },
    clients: () => [...core.clients.values()],
    addClient,
    issueCertificate: keys.issue,
    pay: async input => pixView(payCode(core, input)) as PaidPix,
    payTitle: async payment => titleState(payTitle(core, payment)),
    automatic: automaticControl(core),
    medReturn: ({ endToEndId, ...input }) => medReturn(core, requirePix(endToEndId), input),
    removeCharge: (txid, clientId = client.clientId) => {
      const charge = state.charges.get(chargeKey(clientId, txid));
      if (!charge) throw new PspRefusal('not_found', 'There is no such charge.');
      if (current(charge).status === 'ATIVA') change(charge, now(), { status: 'REMOVIDA_PELO_PSP' });
    },
    setTitles: rule => {
      core.titleRule = rule;
    },
    setRefunds: rule => {
      core.refundRule = rule;
    },
    endRefund: ({ endToEndId, id, status, motivo }) => endRefund(core, requirePix(endToEndId), id, status, motivo),
    setFault: faults.set,
    clearFaults: faults.clear,
    faults: faults.list,
    notifications: notifier.records,
    deliverNow: () => {
      runDue();
      return notifier.deliverNow();
    },
    settled: () => {
      runDue();
      return notifier.settled();
    },
    forgeNotification: notifier.forge,
    requests: api.requests,
    revokeTokens: tokens.revokeAll,
    now,
    moveClock: by => {
      offsetMs += 'to' in by ? by.to.getTime() - now().getTime() : by.advanceMs;
      runDue();
    },
    state: () => {
      runDue();
      return showState(core);
    },
    stop: async () => {
      clearInterval(ticking);
      for (const timer of timers) clearTimeout(timer);
      notifier.stop();
      await Promise.all([api.close(), closeControl()]);
      await keys.close();
    },
  };

  port = await listen(api.server, options.port ?? 0);
  const addresses = {
    url: core.baseUrl(),
    ...(titleApi && { titlesUrl: `https://${HOST}:${port}${titleApi.prefix}` }),
    tokenUrl: `https://${HOST}:${port}${profile.token.path}`,
    jwksUrl: `https://${HOST}:${port}${JWKS_PATH}`,
  };
  const control = createControlServer(() => started);
  const controlPort = await listen(control, options.controlPort ?? 0).catch(async error => {
    await api.close();
    throw error;
  });
  const closeControl = () => closeServer(control);
  const started: Psp = { ...psp, ...addresses, controlUrl: `http://127.0.0.1:${controlPort}` };
  return started;
}

function listen(server: Server | ApiServer['server'], port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PspError(`Port ${port} is in use.`) : error);
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
