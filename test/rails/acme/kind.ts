// A made-up PSP with an API of its own, as somebody would add one: the fields of an entry, and the calls behind a rail.
import { type Static, Type } from 'typebox';
import { HttpsUrl, OneOf, Word } from '../../../src/rails/bank-client/entry-fields.ts';
import { checkPix, dynamicBrCode } from '../../../src/rails/br-code.ts';
import { NAME_FIELD, SHARE_FIELDS } from '../../../src/rails/entry-fields.ts';
import type { RailKind } from '../../../src/rails/kind.ts';
import type { Finding, Outcome, Rail, Receipt } from '../../../src/rails/rail.ts';

const PROFILES = ['acme'];
const CAN = { refund: false, withdraw: true };
const RECEIVER = { receiverName: 'Loja', receiverCity: 'Recife' };

const AcmeEntry = Type.Object(
  { ...NAME_FIELD, ...SHARE_FIELDS, profile: OneOf(PROFILES), baseUrl: HttpsUrl(), apiKey: Word() },
  { additionalProperties: false },
);
type AcmeEntry = Readonly<Static<typeof AcmeEntry>>;

/** How the PSP is called: `POST /charges`, `GET /charges/{reference}`, `DELETE /charges/{reference}`, `GET /payments`. */
export type AcmeApi = {
  call(
    entry: AcmeEntry,
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; json: unknown } | 'lost'>;
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

type AcmeCharge = { readonly status: 'open' | 'removed'; readonly location: string };
type AcmePayment = { readonly id: string; readonly reference: string; readonly cents: number; readonly at: string };

function acmeRail(entry: AcmeEntry, api: AcmeApi): Rail<'pix'> {
  const found = (answer: Awaited<ReturnType<AcmeApi['call']>>): Exclude<Finding, { kind: 'absent' }> => {
    if (answer === 'lost') return { kind: 'unknown' };
    if (answer.status >= 400) return { kind: 'rejected', reason: `Acme answered ${answer.status}.` };
    const { status, location } = answer.json as AcmeCharge;
    const emv = dynamicBrCode(location, RECEIVER);
    if (status === 'removed' || emv === undefined) return { kind: 'withdrawn' };
    return { kind: 'registered', instrument: { emv } };
  };
  return {
    name: entry.name,
    method: 'pix',
    can: CAN,
    check: checkPix,
    prepare: ({ id }) => ({ reference: id.replaceAll('-', '') }),
    submit: async ({ amountCents }, reference) =>
      found(await api.call(entry, 'POST', '/charges', { reference, cents: Number(amountCents) })) as Outcome,
    lookup: async (_request, reference) => {
      const answer = await api.call(entry, 'GET', `/charges/${reference}`);
      return answer !== 'lost' && answer.status === 404 ? { kind: 'absent' } : found(answer);
    },
    cancel: async (_request, reference) => {
      const answer = await api.call(entry, 'DELETE', `/charges/${reference}`);
      return answer === 'lost' ? { kind: 'unknown' } : { kind: 'withdrawn' };
    },
    refund: async () => ({ kind: 'rejected', reason: 'Acme sends nothing back.' }),
    lookupRefund: async () => ({ kind: 'absent' }),
    watch: {
      by: 'time',
      receipts: async (from, to) => {
        const answer = await api.call(entry, 'GET', `/payments?from=${from.toISOString()}&to=${to.toISOString()}`);
        return { receipts: answer === 'lost' ? [] : (answer.json as AcmePayment[]).map(receiptOf) };
      },
      receipt: async reference => {
        const answer = await api.call(entry, 'GET', `/payments/${reference}`);
        return answer === 'lost' || answer.status === 404 ? undefined : receiptOf(answer.json as AcmePayment);
      },
      hints: () => [],
    },
  };
}

function receiptOf({ id, reference, cents, at }: AcmePayment): Receipt {
  return { reference: id, requestReference: reference, amountCents: BigInt(cents), paidAt: new Date(at), returns: [] };
}
