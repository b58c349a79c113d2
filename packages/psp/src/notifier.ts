// Notifications: one call of the webhook per payment, per refund that ends, and per change of a recurrence or its charges, with
// retries and the faults of a test.
import type { Fault } from './faults.ts';
import { callOf, type Notice, type WebhookCall } from './notice.ts';
import { type PixRecord, settlementId } from './pix-record.ts';
import type { Random } from './random.ts';
import type { State } from './state.ts';
import { pixView } from './views.ts';
import type { Presented, WebhookClient } from './webhook-client.ts';

type NotificationStatus = 'held' | 'sending' | 'delivered' | 'waiting' | 'failed' | 'dropped';

export type NotificationRecord = {
  readonly id: number;
  readonly at: string;
  readonly url: string;
  readonly endToEndIds: readonly string[];
  readonly body: string;
  readonly isForged: boolean;
  readonly tries: number;
  readonly status: NotificationStatus;
  /** The status of the last answer; absent before the first. */
  readonly answer?: number;
};

type Entry = { -readonly [Name in keyof NotificationRecord]: NotificationRecord[Name] } & { timer?: NodeJS.Timeout };

export type ForgeInput = Notice & {
  readonly url: string;
  /** The certificate that is presented; the PSP's own when absent. */
  readonly with?: Presented;
};

type Notifier = {
  pixChanged(pix: PixRecord): void;
  /** Calls a webhook of Pix Automático. */
  announce(url: string, notice: Notice): void;
  /** Calls a webhook about something else, at exactly this address. */
  tell(url: string, notice: object): void;
  /** Calls a URL as Efí does at registration; returns why it is refused, or undefined when it is accepted. */
  probe(url: string): Promise<string | undefined>;
  records(): readonly NotificationRecord[];
  deliverNow(): Promise<void>;
  settled(): Promise<void>;
  forge(input: ForgeInput): Promise<number>;
  stop(): void;
};

type Deps = {
  readonly state: State;
  readonly client: WebhookClient;
  readonly random: Random;
  readonly now: () => Date;
  readonly nextFault: () => Fault | undefined;
  readonly retryMs: readonly number[];
  readonly groupMs: number;
};

const MAX_RECORDS = 20_000;
const MAX_IN_A_GROUP = 100;

export function createNotifier(deps: Deps): Notifier {
  const { state, client, random, now, nextFault, retryMs, groupMs } = deps;
  const entries: Entry[] = [];
  /** Those that wait for the next one to be sent before them. */
  let held: Entry[] = [];
  const groups = new Map<string, object[]>();
  const inFlight = new Set<Promise<void>>();
  let made = 0;
  let isStopped = false;

  function remember(call: WebhookCall, isForged = false): Entry {
    const entry: Entry = { id: ++made, at: now().toISOString(), ...call, isForged, tries: 0, status: 'held' };
    entries.push(entry);
    if (entries.length > MAX_RECORDS) entries.shift();
    return entry;
  }

  function send(entry: Entry): Promise<void> {
    if (isStopped) return Promise.resolve();
    clearTimeout(entry.timer);
    entry.status = 'sending';
    entry.tries++;
    return track(
      client.post(entry.url, entry.body).then(
        answer => ended(entry, answer),
        () => ended(entry, undefined),
      ),
    );
  }

  function track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
    return tracked;
  }

  function ended(entry: Entry, answer: number | undefined): void {
    if (answer !== undefined) entry.answer = answer;
    if (answer !== undefined && answer >= 200 && answer < 300) {
      entry.status = 'delivered';
      return;
    }
    const waitMs = retryMs[entry.tries - 1];
    entry.status = waitMs === undefined ? 'failed' : 'waiting';
    if (waitMs !== undefined && !isStopped) entry.timer = setTimeout(() => void send(entry), waitMs).unref();
  }

  /** Sends one notification with the present fault, then those that were held back for it. */
  function dispatch(call: WebhookCall, forged?: () => WebhookCall): void {
    const entry = remember(call);
    const fault = nextFault()?.kind;
    if (fault === 'notify-reorder') {
      held.push(entry);
      return;
    }
    if (fault === 'notify-drop') entry.status = 'dropped';
    else void track(sendThenHeld(entry));
    if (fault === 'notify-duplicate') void send(remember(call));
    if (fault === 'notify-forge' && forged) void send(remember(forged(), true));
  }

  function announce(url: string, notice: Notice): void {
    dispatch(callOf(url, notice), () => callOf(url, forgedNotice(notice)));
  }

  async function sendThenHeld(entry: Entry): Promise<void> {
    const released = held;
    held = [];
    await send(entry);
    await Promise.all(released.map(send));
  }

  /** The same notification about a payment that never happened. */
  function forgedNotice(notice: Notice): Notice {
    const forged = (one: object) => ({
      ...one,
      ...('endToEndId' in one && { endToEndId: settlementId('E', now(), random) }),
      ...('idRec' in one && { idRec: `${String(one.idRec).slice(0, -11)}${random.letters(11)}` }),
    });
    const [[name, items] = ['pix', []]] = Object.entries<readonly object[]>(notice);
    return { [name]: items.map(forged) } as unknown as Notice;
  }

  function flush(chave: string): void {
    const pix = groups.get(chave);
    const webhook = state.webhooks.get(chave);
    groups.delete(chave);
    if (pix && webhook && !isStopped) announce(webhook.webhookUrl, { pix });
  }

  async function settled(): Promise<void> {
    while (inFlight.size > 0) await Promise.all(inFlight);
  }

  return {
    pixChanged: pix => {
      const { chave = '', txid } = pix;
      const webhook = state.webhooks.get(chave);
      // The norm: only a pix with a txid is notified.
      if (!webhook || txid === undefined) return;
      if (groupMs === 0) {
        announce(webhook.webhookUrl, { pix: [pixView(pix)] });
        return;
      }
      const group = groups.get(chave) ?? [];
      group.push(pixView(pix));
      if (group.length === 1) setTimeout(() => flush(chave), groupMs).unref();
      groups.set(chave, group);
      if (group.length >= MAX_IN_A_GROUP) flush(chave);
    },
    announce,
    tell: (url, notice) => dispatch({ url, endToEndIds: [], body: JSON.stringify(notice) }),
    probe: async url => {
      const body = JSON.stringify({ evento: 'teste_webhook', data_criacao: now().toISOString() });
      const isAccepted = (answer: number) => answer >= 200 && answer < 300;
      const without = await client.post(url, body, 'none').catch(() => 0);
      if (isAccepted(without)) return 'A autenticação de TLS mútuo não está configurada na URL informada';
      const withOne = await client.post(url, body).catch(() => 0);
      if (withOne === 0) return 'A URL informada não pôde ser acessada';
      return isAccepted(withOne) ? undefined : `A URL informada respondeu com o código HTTP ${withOne}`;
    },
    records: () => entries.map(({ timer: _, ...shown }) => shown),
    deliverNow: async () => {
      for (const chave of groups.keys()) flush(chave);
      await settled();
      const waiting = entries.filter(({ status }) => status === 'waiting');
      const released = held;
      held = [];
      await Promise.all([...waiting, ...released].map(send));
      await settled();
    },
    settled,
    forge: ({ url, with: presented, ...notice }) => {
      const call = callOf(url, notice);
      return client.post(call.url, call.body, presented);
    },
    stop: () => {
      isStopped = true;
      for (const { timer } of entries) clearTimeout(timer);
      client.close();
    },
  };
}
