// A PSP that loses, repeats, delays and invents, and payers who pay through it. A seed decides what happens, as far as a
// network allows.
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { generateCpf } from '@brazilian-utils/brazilian-utils';
import type { Fault, Psp } from '@trilho/psp';
import { randomOf } from './random.ts';
import type { Answer } from './service.ts';

/** Of a hundred calls about fifteen go wrong, and of a hundred notifications about twenty. */
const FAULTS: readonly Fault[] = [
  { kind: 'lost-reply', probability: 0.015 },
  { kind: 'timeout-before', probability: 0.002 },
  { kind: 'timeout-after', probability: 0.002 },
  { kind: 'cut', probability: 0.02 },
  { kind: 'status', status: 409, on: { method: 'PUT' }, probability: 0.04 },
  { kind: 'status', status: 429, retryAfterSeconds: 1, probability: 0.02 },
  { kind: 'status', status: 500, probability: 0.02 },
  { kind: 'status', status: 503, probability: 0.005 },
  { kind: 'html', status: 502, probability: 0.02 },
  { kind: 'slow', delayMs: 200, probability: 0.02 },
  { kind: 'expired-token', probability: 0.02 },
  { kind: 'stale-read', probability: 0.03 },
  { kind: 'status', status: 500, on: { path: 'token' }, probability: 0.1 },
  { kind: 'notify-drop', probability: 0.06 },
  { kind: 'notify-duplicate', probability: 0.06 },
  { kind: 'notify-reorder', probability: 0.06 },
  { kind: 'notify-forge', probability: 0.04 },
];

export function setLosses(psp: Psp): void {
  for (const fault of FAULTS) psp.setFault(fault);
}

/** How often each kind of fault has fired; read it before they are cleared. */
export function lossesOf(psp: Psp): Record<string, number> {
  return Object.fromEntries(
    psp.faults().map(({ kind, status = '', on, fired }) => [[kind, status, on?.path].filter(Boolean).join(' '), fired]),
  );
}

/** The service as its callers see it. Calls reject while it is away. */
export type LossyService = {
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** Waits until it may have progressed. */
  pause(): Promise<void>;
};

type Plan = {
  readonly number: number;
  readonly body: Record<string, unknown>;
  /** More than one when the payer pays again. */
  readonly payments: number;
  /** Whether a payer also sends money to the key alone. */
  readonly isStray: boolean;
  readonly ending: 'kept' | 'refunded' | 'returned';
};

/** Part of every name and text of a payer, so that a leak into a log can be found. */
const MARK = 'Sigilosa';
const DAY_MS = 86_400_000;

function planOf(seed: number, number: number, now: Date): Plan {
  const random = randomOf(seed, number);
  const isQuick = random.chance(0.3);
  const dueAt = new Date(now.getTime() + (isQuick ? 0.9 * DAY_MS : 20 * DAY_MS));
  return {
    number,
    body: {
      accountId: 'acme',
      externalId: `payment-${number}`,
      amountCents: 100 + random.below(1_000_000),
      currency: 'BRL',
      methods: ['pix'],
      customer: { name: `Pagadora ${MARK} ${number}`, document: generateCpf() },
      dueAt: dueAt.toISOString(),
      ...(isQuick ? { expireAt: dueAt.toISOString() } : { taxes: { fine: 2, interest: 1 } }),
    },
    payments: random.chance(0.04) ? 2 : 1,
    isStray: random.chance(0.02),
    ending: random.chance(0.05) ? 'refunded' : random.chance(0.04) ? 'returned' : 'kept',
  };
}

const MAX_TRIES = 5_000;

/** Repeats a request until it is answered with something else than an outage. */
async function answerTo(service: LossyService, ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = await ask().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429) return answer;
    await service.pause();
  }
  return assert.fail('the service does not answer');
}

// biome-ignore lint/suspicious/noExplicitAny: the payer reads only some fields of a charge.
async function chargeWhen(service: LossyService, id: string, isSo: (charge: any) => boolean): Promise<any> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { json, text } = await answerTo(service, () => service.get(`/charges/${id}`));
    assert.notEqual(json.pix?.status, 'FAILED', text);
    if (isSo(json)) return json;
    await service.pause();
  }
  return assert.fail(`the charge ${id} does not reach the expected state`);
}

async function payOne(service: LossyService, psp: Psp, plan: Plan): Promise<void> {
  const { body, number, payments, isStray, ending } = plan;
  const made = await answerTo(service, () => service.post('/charges', body));
  assert.equal(made.status, 201, made.text);
  const charge = await chargeWhen(service, made.json.id, ({ pix }) => pix.status === 'ACTIVE');
  const payer = { pagador: { cpf: generateCpf(), nome: `Outra ${MARK}` }, infoPagador: `Recado ${MARK} ${number}` };
  const [first] = await Promise.all(
    Array.from({ length: payments }, (_, index) => psp.pay({ emv: charge.pix.emv, force: index > 0, ...payer })),
  );
  if (isStray) await psp.pay({ chave: psp.client.keys[0]!, valor: '1.23', ...payer });
  if (ending === 'returned') psp.medReturn({ endToEndId: first!.endToEndId });
  if (ending !== 'refunded') return;
  const { state } = await chargeWhen(service, charge.id, ({ state: now }) => now !== 'ACTIVE');
  assert.equal(state, 'PAID');
  const key = { 'idempotency-key': `refund-${number}` };
  const asked = await answerTo(service, () => service.post(`/charges/${charge.id}/refunds`, { amountCents: 50 }, key));
  assert.equal(asked.status, 201, asked.text);
}

type PayersOptions = {
  readonly seed: number;
  readonly count: number;
  /** How many payers are on their way at once. */
  readonly atOnce: number;
  readonly now: Date;
  /** Called as each payer is done. */
  readonly onDone?: (done: number) => void;
};

/** Every payer asks for a charge, waits for its code and pays it; some pay twice, get money back, or have it taken back. */
export async function runPayers(service: LossyService, psp: Psp, options: PayersOptions): Promise<void> {
  const { seed, count, atOnce, now, onDone } = options;
  let [next, done] = [0, 0];
  const walk = async () => {
    while (next < count) {
      await payOne(service, psp, planOf(seed, next++, now));
      onDone?.(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, walk));
}

/** Senders who know the address, one of them with the certificate, notify of payments that never happened. */
export async function forgeNotifications(psp: Psp, url: string, txid: string): Promise<number[]> {
  const pix = {
    endToEndId: 'E99999999202601011200forged00001',
    txid,
    valor: '1000000.00',
    chave: psp.client.keys[0]!,
    horario: psp.now().toISOString(),
    infoPagador: MARK,
  };
  const answers = (['none', 'foreign', 'psp'] as const).map(sender =>
    psp.forgeNotification({ url, pix: [pix], with: sender }),
  );
  return Promise.all(answers);
}

/** Collects the tokens and keys that callers show to servers of this process. */
export function watchTokens(): { readonly tokens: ReadonlySet<string>; stop(): void } {
  const tokens = new Set<string>();
  const note = (message: unknown) => {
    const { request } = message as { readonly request: IncomingMessage };
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    if (token !== undefined) tokens.add(token);
  };
  subscribe('http.server.request.start', note);
  return { tokens, stop: () => void unsubscribe('http.server.request.start', note) };
}

type Person = { readonly cpf?: string; readonly cnpj?: string; readonly nome?: string };

/** A CPF in a form that no other number in the log has, also of a person unknown to the PSP. */
const ANY_CPF = /\b\d{3}\.\d{3}\.\d{3}-\d{2}\b|"\d{11}"/;

/** The log lines that contain personal data or one of the secrets. */
export function leaks(lines: readonly string[], psp: Psp, others: readonly string[]): string[] {
  const secrets = [MARK, psp.client.clientSecret, psp.client.keys[0]!, ...others];
  const { charges, pix } = psp.state() as {
    charges: readonly { devedor?: Person }[];
    pix: readonly { pagador?: Person }[];
  };
  const people = [...charges.map(({ devedor }) => devedor), ...pix.map(({ pagador }) => pagador)];
  const documents = new Set(people.flatMap(person => [person?.cpf ?? [], person?.cnpj ?? []].flat()));
  const isDocument = (digits: string) => documents.has(digits);
  return lines.filter(
    line =>
      ANY_CPF.test(line) ||
      line.match(/(?<![\w.])\d{11}(?!\w)/g)?.some(isDocument) ||
      secrets.some(secret => line.includes(secret)),
  );
}
