// A made-up PSP with an API of its own, as a contributor would add one: the fields of an entry, and the calls behind a rail.
import { type Static, Type } from 'typebox';
import { AppError } from '../../../src/lib/errors.ts';
import { HttpsUrl, OneOf, Word } from '../../../src/rails/bank-client/entry-fields.ts';
import { checkPix, dynamicBrCode } from '../../../src/rails/br-code.ts';
import { NAME_FIELD, SHARE_FIELDS } from '../../../src/rails/entry-fields.ts';
import type { RailKind } from '../../../src/rails/kind.ts';
import type { Finding, Outcome, Rail, Receipt } from '../../../src/rails/rail.ts';

const PROFILES = ['acme'];
const CAN = { refund: false, withdraw: true, reduce: false };
const RECEIVER = { receiverName: 'Loja', receiverCity: 'Recife' };

const AcmeEntry = Type.Object(
  { ...NAME_FIELD, ...SHARE_FIELDS, profile: OneOf(PROFILES), baseUrl: HttpsUrl(), apiKey: Word() },
  { additionalProperties: false },
);
type AcmeEntry = Readonly<Static<typeof AcmeEntry>>;

/** `status` is 0 and `json` empty when the PSP's answer was lost. */
type Answer = { readonly status: number; readonly json: unknown };

/** How the PSP is called: `POST /charges`, `GET /charges/{reference}`, `DELETE /charges/{reference}`, `GET /payments`. */
export type AcmeApi = {
  call(entry: AcmeEntry, method: string, path: string, body?: object): Promise<Answer>;
};

export function acmeKind(api: AcmeApi): RailKind {
  return {
    name: 'acme',
    method: 'pix',
    section: 'rails',
    profiles: PROFILES,
    entry: AcmeEntry,
    takes: ({ profile }) => profile === 'acme',
    can: CAN,
    describe: () => 'acme',
    open: (entry: AcmeEntry) => ({ rail: acmeRail(entry, api) }),
  };
}

/** By its documentation: it will never accept the charge; the charge was paid. */
const REJECTS = [400, 422];
const IS_PAID = 410;
/** The PSP refused the caller, so nothing was done. After any other answer only a lookup shows whether it was. */
const REFUSED_CALLER = [401, 403, 429];

const isDone = ({ status }: Answer) => status >= 200 && status < 300;
const noAnswer = ({ status }: Answer) =>
  ({ kind: REFUSED_CALLER.includes(status) ? 'unavailable' : 'unknown' }) as const;

type AcmeCharge = { readonly status: 'open' | 'removed'; readonly location: string };
type AcmePayment = { readonly id: string; readonly reference: string; readonly cents: number; readonly at: string };

function acmeRail(entry: AcmeEntry, api: AcmeApi): Rail<'pix'> {
  const found = ({ json }: Answer): Exclude<Finding, { kind: 'absent' }> => {
    const { status, location } = json as AcmeCharge;
    if (status === 'removed') return { kind: 'withdrawn' };
    const emv = dynamicBrCode(location, RECEIVER);
    return emv === undefined ? { kind: 'unknown' } : { kind: 'registered', instrument: { emv } };
  };
  /** Throws when the PSP does not answer: the caller asks for the same time again, so no payment is missed. */
  const readPayments = async (path: string): Promise<unknown> => {
    const answer = await api.call(entry, 'GET', path);
    if (!isDone(answer)) throw new AppError('rail_unavailable', 'Acme did not list its payments.');
    return answer.json;
  };
  return {
    name: entry.name,
    method: 'pix',
    can: CAN,
    check: checkPix,
    prepare: ({ id }) => ({ reference: id.replaceAll('-', '') }),
    submit: async ({ amountCents }, reference) => {
      const answer = await api.call(entry, 'POST', '/charges', { reference, cents: Number(amountCents) });
      if (isDone(answer)) return found(answer) as Outcome;
      const isRejected = REJECTS.includes(answer.status);
      return isRejected ? { kind: 'rejected', reason: `Acme answered ${answer.status}.` } : noAnswer(answer);
    },
    lookup: async (_request, reference) => {
      const answer = await api.call(entry, 'GET', `/charges/${reference}`);
      if (isDone(answer)) return found(answer);
      return answer.status === 404 ? { kind: 'absent' } : noAnswer(answer);
    },
    cancel: async (_request, reference) => {
      const answer = await api.call(entry, 'DELETE', `/charges/${reference}`);
      if (isDone(answer)) return { kind: 'withdrawn' };
      return answer.status === IS_PAID ? { kind: 'too_late' } : noAnswer(answer);
    },
    refund: async () => ({ kind: 'rejected', reason: 'Acme makes no refunds.' }),
    lookupRefund: async () => ({ kind: 'absent' }),
    watch: {
      by: 'time',
      receipts: async (from, to) => {
        const listed = await readPayments(`/payments?from=${from.toISOString()}&to=${to.toISOString()}`);
        return { receipts: (listed as AcmePayment[]).map(receiptOf) };
      },
      receipt: async reference => {
        const listed = await readPayments(`/payments?id=${reference}`);
        return (listed as AcmePayment[]).map(receiptOf)[0];
      },
      hints: () => [],
    },
  };
}

function receiptOf({ id, reference, cents, at }: AcmePayment): Receipt {
  return { reference: id, requestReference: reference, amountCents: BigInt(cents), paidAt: new Date(at), returns: [] };
}
