// Registers, looks up and removes charges at the PSP.

import type { Answer } from '../bank-client/classify.ts';
import type { Call, Client } from '../bank-client/client.ts';
import { centsAt, reasonOf, textAt } from '../bank-client/read-answer.ts';
import { dynamicBrCode, faultOfDynamicCode, locationIn } from '../br-code.ts';
import type { CancelOutcome, Finding, Location, Outcome, PaymentRequest } from '../rail.ts';
import { chargeBody, kindOf } from './charge-body.ts';
import type { BacenDeps, BacenSettings, FullProfile } from './settings.ts';

type NotOk = Exclude<Answer, { readonly kind: 'ok' }>;

/** Statuses with which a PSP judges the request; any other 4xx means that the URL is wrong. */
export const JUDGED: readonly number[] = [400, 409, 413, 422];

/** What a payer's bank shows comes from the location, but a code must contain a name. */
const UNNAMED = { receiverName: 'RECEBEDOR PIX', receiverCity: 'BRASILIA' };

type Charges = {
  submit(request: PaymentRequest, txid: string, location?: Location): Promise<Outcome>;
  lookup(request: PaymentRequest, txid: string, location?: Location): Promise<Finding>;
  cancel(request: PaymentRequest, txid: string): Promise<CancelOutcome>;
  codeOf(location: string): string | undefined;
};

export function chargesAt(
  settings: BacenSettings,
  profile: FullProfile,
  { call }: Client,
  { clock }: BacenDeps,
): Charges {
  const { receiverName = UNNAMED.receiverName, receiverCity = UNNAMED.receiverCity } = settings;
  const receiver = { receiverName, receiverCity };
  const codeOf = (location: string) => dynamicBrCode(location, receiver);

  const at = (method: Call['method'], request: PaymentRequest, txid: string, body?: object) =>
    call({ method, resource: kindOf(request), path: [txid], ...(body && { body }) });

  /** The code, in any of the possible fields. */
  function codeIn(body: unknown): string | undefined {
    return profile.codeFields.map(field => textAt(body, field)).find(code => code !== undefined);
  }

  /** Whether the PSP shows the charge at its assigned location, or does not name one. */
  function isAt({ url }: Location, body: unknown): boolean {
    const shown = locationAt(body) ?? locationIn(codeIn(body) ?? '');
    return shown === undefined || withoutScheme(shown) === withoutScheme(url);
  }

  /** What a payer pays with, once the PSP shows it. A code that cannot be paid is never returned. */
  function registration(body: unknown): Finding {
    const [given, location] = [codeIn(body), locationAt(body)];
    // The PSP has the charge; its code comes later.
    if (given === undefined && location === undefined) return { kind: 'accepted' };
    const emv = given ?? codeOf(location ?? '');
    const fault = emv === undefined ? 'no code can hold its location' : faultOfDynamicCode(emv);
    if (emv !== undefined && fault === undefined) return { kind: 'registered', instrument: { emv } };
    return { kind: 'rejected', reason: `The PSP answered with a pix code that cannot be paid: ${fault}.` };
  }

  /** A charge as the PSP shows it. At its assigned location, its code is the one already given to the payer. */
  function findingOf(body: unknown, location: Location | undefined): Finding {
    const status = textAt(body, 'status')?.toUpperCase();
    if (body === undefined) return { kind: 'unknown' };
    // The norm writes both REMOVIDA and REMOVIDO.
    if (status?.startsWith('REMOVID')) return { kind: 'withdrawn' };
    return location && isAt(location, body) ? { kind: 'registered' } : registration(body);
  }

  /** Checks whether the PSP already has the charge: a repeated PUT is refused, or an earlier one succeeded. */
  async function judge(
    request: PaymentRequest,
    txid: string,
    location: Location | undefined,
    refusal: NotOk & { kind: 'refused' },
  ): Promise<Outcome> {
    const found = await at('GET', request, txid);
    if (found.kind === 'refused' && found.status === 404) {
      // Its answers contradict each other: only another lookup can decide.
      return refusal.status === 409 ? { kind: 'unknown' } : { kind: 'rejected', reason: reasonOf(refusal) };
    }
    if (found.kind !== 'ok' || found.body === undefined) return { kind: 'unknown' };
    if (!isSameCharge(found.body, request, settings.pixKey)) {
      return { kind: 'rejected', reason: 'The PSP has another charge under this txid.' };
    }
    const finding = findingOf(found.body, location);
    if (finding.kind === 'withdrawn' || finding.kind === 'absent') {
      return { kind: 'rejected', reason: 'The charge was removed at the PSP.' };
    }
    return finding;
  }

  return {
    codeOf,
    submit: async (request, txid, location) => {
      const { pixKey } = settings;
      const { sendsLocationKind } = profile;
      const body = chargeBody(request, { pixKey, location, sendsLocationKind, now: clock.now() });
      const answer = await at('PUT', request, txid, body);
      if (answer.kind === 'refused' && JUDGED.includes(answer.status)) return judge(request, txid, location, answer);
      if (answer.kind !== 'ok') return noAnswer(answer);
      const finding = findingOf(answer.body, location);
      return finding.kind === 'withdrawn' || finding.kind === 'absent' ? { kind: 'unknown' } : finding;
    },
    lookup: async (request, txid, location) => {
      const answer = await at('GET', request, txid);
      if (answer.kind === 'ok') return findingOf(answer.body, location);
      return isAbsent(answer) ? { kind: 'absent' } : noAnswer(answer);
    },
    cancel: async (request, txid) => {
      const answer = await at('PATCH', request, txid, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
      if (answer.kind === 'ok') return { kind: 'withdrawn' };
      if (answer.kind !== 'refused') return noAnswer(answer);
      // It may be paid, removed or unknown.
      const found = await at('GET', request, txid);
      if (isAbsent(found)) return { kind: 'too_late' };
      if (found.kind !== 'ok') return noAnswer(found);
      const status = textAt(found.body, 'status')?.toUpperCase() ?? '';
      if (status.startsWith('REMOVID')) return { kind: 'withdrawn' };
      return status === 'CONCLUIDA' ? { kind: 'too_late' } : { kind: 'unavailable' };
    },
  };
}

function locationAt(body: unknown): string | undefined {
  return textAt(body, 'loc.location') ?? textAt(body, 'location');
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//i, '').toLowerCase();
}

function isSameCharge(body: unknown, { amountCents }: PaymentRequest, pixKey: string): boolean {
  const key = textAt(body, 'chave');
  return centsAt(body, 'valor.original') === amountCents && (key === undefined || isSameKey(key, pixKey));
}

/** PSPs write keys in either case, and documents and phone numbers with or without their signs. */
export function isSameKey(a: string, b: string): boolean {
  const plain = (key: string) => (key.includes('@') ? key : key.replace(/[^0-9A-Za-z]/g, '')).toLowerCase();
  return plain(a) === plain(b);
}

export function isAbsent(answer: Answer): boolean {
  return answer.kind === 'refused' && (answer.status === 404 || answer.status === 410);
}

type NoAnswer = Extract<Outcome, { readonly kind: 'unknown' | 'unavailable' }>;

/** A 4xx of any other kind comes from a wrong path: nothing was accepted. */
export function noAnswer(answer: NotOk): NoAnswer {
  if (answer.kind === 'unknown') return { kind: 'unknown' };
  const retryAt = answer.kind === 'unavailable' ? answer.retryAt : undefined;
  return { kind: 'unavailable', ...(retryAt && { retryAt }) };
}
