// Disputes on the wire: money that the bank of the payer has asked for, and how each dispute ended.
import { type Static, Type } from 'typebox';
import type { DisputeChanges } from '../charges/disputes/change.ts';
import { DISPUTE_OUTCOMES, DISPUTE_STATUSES } from '../charges/disputes/dispute.ts';
import { EVIDENCE_TYPES, MAX_EVIDENCE_NAME_LENGTH } from '../charges/disputes/evidence.ts';
import { DISPUTE_CAUSES } from '../rails/rail.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { DateTime, dateOf, OneOf, orNull, Ref, Text, Uuid } from './schemas.ts';

/** The most characters of a note or a reason. */
export const MAX_NOTE_LENGTH = 2_000;

const note = Text({ maxLength: MAX_NOTE_LENGTH, description: 'For yourselves; the bank does not see it.' });

export const DisputeChangesBody = Type.Object(
  {
    blockedUntil: orNull(
      DateTime({ description: 'Until when the bank blocks the money, for example from its e-mail.' }),
    ),
    note: orNull(note),
  },
  {
    $id: 'DisputeChanges',
    additionalProperties: false,
    examples: [{ blockedUntil: '2026-12-18T21:00:00-03:00', note: 'The customer has the goods.' }],
  },
);
export type DisputeChangesBody = Static<typeof DisputeChangesBody>;

export const DisputeEndBody = Type.Object(
  {
    outcome: OneOf(DISPUTE_OUTCOMES, {
      description:
        '`won`: the money stays. `lost`: it goes back. `accepted`: it goes back because you agree. The bank does not learn of it.',
    }),
    reason: Text({ maxLength: MAX_NOTE_LENGTH, description: 'Why it ended so.' }),
  },
  {
    $id: 'DisputeEnd',
    additionalProperties: false,
    examples: [{ outcome: 'won', reason: 'The bank has released the money; its message of 14 December.' }],
  },
);

const view = {
  id: Uuid(),
  accountId: Type.String(),
  chargeId: Uuid(),
  paymentId: Uuid(),
  refundId: Uuid({ description: 'The return, in `refunds` of the charge.' }),
  rail: Type.String(),
  paymentReference: Type.String({ description: "The bank's id of the payment: the endToEndId of a pix." }),
  returnReference: Type.String({ description: "The bank's id of the return." }),
  cause: OneOf(DISPUTE_CAUSES, {
    description: 'Why the bank of the payer asks for the money; `other`: for a reason that the norm does not list.',
  }),
  bankCode: Type.String({ description: "The cause in the bank's code, such as `MED_FRAUDE`." }),
  amountCents: Type.Integer(),
  status: OneOf(DISPUTE_STATUSES, {
    description: '`open`: the money is blocked. `won`: it stays. `lost` and `accepted`: it went back.',
  }),
  blockedCents: Type.Integer({ description: 'What is blocked now.' }),
  blockedUntil: Type.Optional(
    DateTime({ description: 'Until when it is blocked; absent when unknown. Banks do not report it.' }),
  ),
  isUntilEstimated: Type.Optional(
    Type.Boolean({ description: 'True: from `TRILHO_DISPUTE_DAYS`. False: a person has recorded it.' }),
  ),
  note: Type.Optional(Type.String()),
  closedAt: Type.Optional(DateTime()),
  closedBy: Type.Optional(
    OneOf(['bank', 'account'], {
      description: '`bank`: the bank has reported the end. `account`: it was recorded here.',
    }),
  ),
  reason: Type.Optional(Type.String({ description: 'Why it ended so.' })),
  confirmedAt: Type.Optional(DateTime({ description: 'When the bank reported the end.' })),
  createdAt: DateTime({ description: 'When it became known here.' }),
  updatedAt: DateTime(),
};

export const DisputeView = Type.Object(view, { $id: 'Dispute', additionalProperties: false });

export const EvidenceView = Type.Object(
  {
    id: Uuid(),
    name: Type.Optional(Type.String()),
    mediaType: OneOf(EVIDENCE_TYPES),
    size: Type.Integer({ description: 'In bytes.' }),
    text: Type.Optional(Type.String({ description: 'Of a short text.' })),
    createdAt: DateTime(),
    erasedAt: Type.Optional(
      DateTime({ description: 'When it was erased with its payer: then it cannot be downloaded.' }),
    ),
  },
  { $id: 'DisputeEvidence', additionalProperties: false },
);

export const EvidenceQuery = Type.Object(
  {
    name: Type.Optional(
      Text({ maxLength: MAX_EVIDENCE_NAME_LENGTH, description: 'The name of the file, such as `delivery.pdf`.' }),
    ),
  },
  { additionalProperties: false },
);

export const DisputeDetail = Type.Object(
  { ...view, evidence: Type.Array(Ref(EvidenceView), { description: 'Oldest first.' }) },
  { $id: 'DisputeDetail', additionalProperties: false },
);

export const DisputesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only disputes of this account.' })),
    status: Type.Optional(OneOf(DISPUTE_STATUSES, { description: 'Only disputes in this state.' })),
    chargeId: Type.Optional(Uuid({ description: 'Only disputes of this charge.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const DisputesPage = Type.Object(
  { disputes: Type.Array(Ref(DisputeView)), ...pageCounts },
  { $id: 'DisputesPage', additionalProperties: false },
);

export const DISPUTE_SCHEMAS = [
  DisputeChangesBody,
  DisputeEndBody,
  DisputeView,
  EvidenceView,
  DisputeDetail,
  DisputesPage,
];

export const DISPUTE_EXAMPLE: Static<typeof DisputeView> = {
  id: '019a9c20-1a30-7c55-8b1d-2f6e4d3c2b1a',
  accountId: 'acme',
  chargeId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  paymentId: '019a9c10-1b20-7f43-9a0c-5e4d3c2b1a09',
  refundId: '019a9c20-1a2f-7a11-8c02-1f2e3d4c5b6a',
  rail: 'efi:main',
  paymentReference: 'E9999999920261207120000000000001',
  returnReference: 'MED4fQ2mXw09aBc',
  cause: 'fraud',
  bankCode: 'MED_FRAUDE',
  amountCents: 15_990,
  status: 'open',
  blockedCents: 15_990,
  blockedUntil: '2026-12-18T12:00:00.000Z',
  isUntilEstimated: true,
  createdAt: '2026-12-07T12:00:00.000Z',
  updatedAt: '2026-12-07T12:00:00.000Z',
};

export const EVIDENCE_FILE_EXAMPLE = 'Delivered on 9 December; signed by the customer.';

export const EVIDENCE_EXAMPLE: Static<typeof EvidenceView> = {
  id: '019a9c21-2b40-7d66-9c1e-3a7f5e4d3c2b',
  name: 'delivery.txt',
  mediaType: 'text/plain',
  size: EVIDENCE_FILE_EXAMPLE.length,
  text: EVIDENCE_FILE_EXAMPLE,
  createdAt: '2026-12-08T12:00:00.000Z',
};

export const DISPUTE_DETAIL_EXAMPLE: Static<typeof DisputeDetail> = {
  ...DISPUTE_EXAMPLE,
  evidence: [EVIDENCE_EXAMPLE],
};

export const DISPUTES_EXAMPLE: Static<typeof DisputesPage> = { disputes: [DISPUTE_EXAMPLE], ...ONE_PAGE };

export function toDisputeChanges({ blockedUntil, note }: DisputeChangesBody): DisputeChanges {
  return {
    ...(blockedUntil !== undefined && { blockedUntil: blockedUntil === null ? null : dateOf(blockedUntil) }),
    ...(note !== undefined && { note }),
  };
}
