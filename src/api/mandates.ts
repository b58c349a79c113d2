// Mandates: the standing approval of a payer that their bank pays what an account asks for, by Pix Automático.
import { type Static, Type } from 'typebox';
import { COLLECTION_STATES } from '../billing/mandates/collection.ts';
import type { NewMandate } from '../billing/mandates/create.ts';
import { type Journey, MANDATE_STATUSES } from '../billing/mandates/mandate.ts';
import type { Fault } from '../lib/errors.ts';
import { ATTEMPT_KINDS, ATTEMPT_STATUSES, RECURRENCE_PERIODS } from '../rails/automatic.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { AccountId, DateTime, Day, dateOf, OneOf, Ref, Text, Uuid } from './schemas.ts';
import type { DeepPartial } from './wire.ts';

/** The norm's limit of what the payer sees. */
export const MAX_SHOWN_LENGTH = 35;

const PayerAccount = Type.Object(
  {
    ispb: Type.String({ pattern: '^[0-9A-Z]{8}$', description: 'The ISPB of the bank, eight characters.' }),
    branch: Type.Optional(Type.String({ pattern: '^[0-9]{1,4}$' })),
    account: Type.String({ pattern: '^[0-9]{1,20}$', description: 'With its check digit.' }),
    until: DateTime({ description: 'Until when the payer may answer.' }),
  },
  {
    additionalProperties: false,
    description: 'In journey 1: where the payer is asked. It is removed once they were asked, and is in no answer.',
  },
);

export const MandateBody = Type.Object(
  {
    accountId: AccountId({ description: 'The account that collects.' }),
    customerId: Uuid({ description: 'Who pays: a customer of the account.' }),
    externalId: Type.Optional(Text({ description: 'Your own id. A repeat for the same account returns the first.' })),
    journey: Type.Integer({
      minimum: 1,
      maximum: 4,
      description:
        'How the payer is asked: 1 in their bank, 2 by a code, 3 by the code of a charge that they pay at once, 4 by the code of a charge with a due day.',
    }),
    contract: Type.Optional(
      Text({
        maxLength: MAX_SHOWN_LENGTH,
        description: 'The number that the payer sees; the id without dashes when absent.',
      }),
    ),
    description: Type.Optional(
      Text({ maxLength: MAX_SHOWN_LENGTH, description: 'What is paid for, as the payer sees it.' }),
    ),
    period: OneOf(RECURRENCE_PERIODS, { description: 'One collection in each.' }),
    firstDay: Day({ description: 'The first day on which a collection may be due, after today.' }),
    lastDay: Type.Optional(Day({ description: 'The last one; without an end when absent.' })),
    amountCents: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Of every collection, in cents of reais; absent: each has its own amount.',
      }),
    ),
    minimumCents: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Instead of `amountCents`: a limit that the payer sets must not be below it.',
      }),
    ),
    retries: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'True: a collection that found no money is tried three more times within seven days.',
      }),
    ),
    chargeId: Type.Optional(Uuid({ description: 'In journeys 3 and 4: the charge that is paid with the code.' })),
    payerAccount: Type.Optional(PayerAccount),
  },
  {
    $id: 'NewMandate',
    additionalProperties: false,
    examples: [
      {
        accountId: 'acme',
        customerId: '019a8b5e-3c6e-7d15-8a02-6b1c2d3e4f50',
        journey: 2,
        contract: '63100862',
        description: 'Plano mensal',
        period: 'MONTHLY',
        firstDay: '2026-12-10',
        amountCents: 3_500,
        retries: true,
      },
    ],
  },
);
export type MandateBody = Static<typeof MandateBody>;

export const CollectionBody = Type.Object(
  { chargeId: Uuid({ description: 'A charge that can be paid by pix at the same PSP; it says amount and due day.' }) },
  {
    $id: 'NewCollection',
    additionalProperties: false,
    examples: [{ chargeId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17' }],
  },
);

const Ending = Type.Object(
  {
    by: Type.Optional(OneOf(['PAYER', 'PAYER_BANK', 'RECEIVER', 'RECEIVER_BANK'])),
    code: Type.Optional(
      Type.String({ description: 'As the PSP gives it; banks also send codes that the norm does not know.' }),
    ),
    description: Type.Optional(Type.String()),
  },
  { additionalProperties: false, description: 'Who or what ended it, as the PSP reports it.' },
);

const pspStatus = Type.Optional(
  Type.String({ description: 'The state in the words of the PSP, also one that the norm does not know.' }),
);
const reason = Type.Optional(Type.String({ description: 'Why it failed or was given up.' }));
const cancelRefusal = Type.Optional(
  Type.String({ description: 'Why the PSP refuses to cancel it, which was requested. It is asked again.' }),
);

const view = {
  id: Uuid(),
  accountId: Type.String(),
  customerId: Uuid(),
  externalId: Type.Optional(Type.String()),
  journey: Type.Integer({ minimum: 1, maximum: 4 }),
  approvedBy: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 4, description: 'The journey in which the payer approved.' }),
  ),
  contract: Type.String(),
  description: Type.Optional(Type.String()),
  period: OneOf(RECURRENCE_PERIODS),
  firstDay: Day(),
  lastDay: Type.Optional(Day()),
  amountCents: Type.Optional(Type.Integer()),
  minimumCents: Type.Optional(Type.Integer()),
  retries: Type.Boolean(),
  chargeId: Type.Optional(Uuid()),
  status: OneOf(MANDATE_STATUSES, {
    description: 'CREATING: on its way to the PSP. CREATED: the payer has not answered. FAILED: the PSP refused it.',
  }),
  pspStatus,
  recurrenceId: Type.Optional(Type.String({ description: 'The id of the PSP: idRec.' })),
  emv: Type.Optional(Type.String({ description: 'The code that the payer reads, in journeys 2, 3 and 4.' })),
  ending: Type.Optional(Ending),
  reason,
  cancelRefusal,
  createdAt: DateTime(),
  updatedAt: DateTime(),
};

const MandateView = Type.Object(view, { $id: 'Mandate', additionalProperties: false });

const Refusal = Type.Object(
  { code: Type.Optional(Type.String()), description: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

export const CollectionView = Type.Object(
  {
    id: Uuid({ description: 'Its txid at the PSP, without dashes.' }),
    accountId: Type.String(),
    mandateId: Uuid(),
    chargeId: Uuid(),
    amountCents: Type.Integer(),
    dueDay: Day(),
    status: OneOf(COLLECTION_STATES, {
      description:
        'WAITING: the PSP takes it some days before its due day. FAILED: the PSP refused it. EXPIRED: no attempt brought the money.',
    }),
    pspStatus,
    attempts: Type.Array(
      Type.Object(
        {
          day: Type.Optional(Day()),
          kind: Type.Optional(OneOf(ATTEMPT_KINDS)),
          status: Type.Optional(OneOf(ATTEMPT_STATUSES)),
          pspStatus: Type.String(),
          paymentReference: Type.Optional(Type.String({ description: 'The endToEndId of its pix.' })),
          refusal: Type.Optional(Refusal),
        },
        { additionalProperties: false },
      ),
    ),
    ending: Type.Optional(Ending),
    reason,
    cancelRefusal,
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  { $id: 'Collection', additionalProperties: false },
);

export const MandateDetail = Type.Object(
  { ...view, collections: Type.Array(Ref(CollectionView), { description: 'The newest 200, oldest first.' }) },
  { $id: 'MandateDetail', additionalProperties: false },
);

export const MandatesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only mandates of this account.' })),
    status: Type.Optional(OneOf(MANDATE_STATUSES, { description: 'Only mandates in this state.' })),
    externalId: Type.Optional(Text({ description: 'Only mandates with this id of yours.' })),
    customerId: Type.Optional(Uuid({ description: 'Only mandates of this customer.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const MandatesPage = Type.Object(
  { mandates: Type.Array(Ref(MandateView)), ...pageCounts },
  { $id: 'MandatesPage', additionalProperties: false },
);

export const MANDATE_SCHEMAS = [MandateBody, CollectionBody, MandateView, CollectionView, MandateDetail, MandatesPage];

const EXAMPLE_ID = '019a8b5e-3c80-7a11-9b02-1c2d3e4f5a60';

const MANDATE_EXAMPLE: Static<typeof MandateView> = {
  id: EXAMPLE_ID,
  accountId: 'acme',
  customerId: '019a8b5e-3c6e-7d15-8a02-6b1c2d3e4f50',
  journey: 2,
  approvedBy: 2,
  contract: '63100862',
  description: 'Plano mensal',
  period: 'MONTHLY',
  firstDay: '2026-12-10',
  amountCents: 3_500,
  retries: true,
  status: 'APPROVED',
  pspStatus: 'APROVADA',
  recurrenceId: 'RR9999999920261116abcdefghijk',
  createdAt: '2026-11-16T12:00:00.000Z',
  updatedAt: '2026-11-16T12:10:00.000Z',
};

export const COLLECTION_EXAMPLE: Static<typeof CollectionView> = {
  id: '019a8b5e-3c81-7b22-8c03-2d3e4f5a6b70',
  accountId: 'acme',
  mandateId: EXAMPLE_ID,
  chargeId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  amountCents: 3_500,
  dueDay: '2026-12-10',
  status: 'ACTIVE',
  pspStatus: 'ATIVA',
  attempts: [{ day: '2026-12-10', kind: 'FIRST', status: 'SCHEDULED', pspStatus: 'AGENDADA' }],
  createdAt: '2026-11-30T12:00:00.000Z',
  updatedAt: '2026-11-30T12:10:00.000Z',
};

export const MANDATE_DETAIL_EXAMPLE: Static<typeof MandateDetail> = {
  ...MANDATE_EXAMPLE,
  collections: [COLLECTION_EXAMPLE],
};

export const MANDATES_EXAMPLE: Static<typeof MandatesPage> = { mandates: [MANDATE_EXAMPLE], ...ONE_PAGE };

/** The mandate that a body asks for. */
export function toNewMandate({
  journey,
  amountCents,
  minimumCents,
  retries = false,
  payerAccount,
  ...body
}: MandateBody): NewMandate {
  const { until, ...at } = payerAccount ?? {};
  return {
    ...body,
    journey: journey as Journey,
    allowsRetries: retries,
    ...(amountCents !== undefined && { amountCents: BigInt(amountCents) }),
    ...(minimumCents !== undefined && { minimumCents: BigInt(minimumCents) }),
    ...(payerAccount && { payerAccount: at as NonNullable<NewMandate['payerAccount']> }),
    ...(until !== undefined && { asksUntil: dateOf(until) }),
  };
}

/** What the schema cannot say: what belongs to which journey, and one amount of both. */
export function checkMandate({ body }: { readonly body: DeepPartial<MandateBody> }): Fault[] {
  const { journey, chargeId, payerAccount, amountCents, minimumCents } = body;
  const faults: Fault[] = [];
  if (amountCents !== undefined && minimumCents !== undefined)
    faults.push({ path: 'minimumCents', code: 'not_together', message: 'must not come together with amountCents' });
  if (journey === undefined) return faults;
  faults.push(...needs('payerAccount', payerAccount, journey === 1, journey));
  faults.push(...needs('chargeId', chargeId, journey === 3 || journey === 4, journey));
  return faults;
}

function needs(path: string, value: unknown, isNeeded: boolean, journey: number): Fault[] {
  if ((value !== undefined) === isNeeded) return [];
  return isNeeded
    ? [{ path, code: 'required', message: `is required in journey ${journey}` }]
    : [{ path, code: 'not_allowed', message: `must not be given in journey ${journey}` }];
}
