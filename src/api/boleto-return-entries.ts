// The entries of return files on the wire.
import { type Static, Type } from 'typebox';
import { RETURN_OUTCOMES } from '../charges/bank-files/store-returns.ts';
import { pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Uuid } from './schemas.ts';

const CLOSED = { additionalProperties: false } as const;
const { page, pageSize } = pageParameters;

export const ReturnEntriesQuery = Type.Object(
  {
    outcome: Type.Optional(OneOf(RETURN_OUTCOMES, { description: 'Only entries with this outcome.' })),
    page,
    pageSize,
  },
  CLOSED,
);

const Cents = (description: string) => Type.Integer({ minimum: 0, description });
const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

const ReturnEntryView = Type.Object(
  {
    line: Type.Integer({ minimum: 1, description: 'The line of the file.' }),
    occurrence: Type.String({ description: "The bank's code of what happened." }),
    words: Type.String({ description: 'The meaning of the code.' }),
    reasons: Type.Array(Type.Object({ code: Type.String(), words: Type.String() }, CLOSED), {
      description: 'The reason; for a payment, its channel.',
    }),
    ourNumber: Type.Optional(Type.String({ description: 'The nosso número, without carteira and check digit.' })),
    amountCents: Cents('The amount of the title.'),
    paidCents: Cents('The paid amount.'),
    feeCents: Cents('The fee of the bank.'),
    occurrenceDay: Day('When it happened.'),
    creditDay: Day('When the money is credited.'),
    outcome: OneOf(RETURN_OUTCOMES, { description: 'Its outcome in the service.' }),
    remark: Type.Optional(Type.String({ description: 'Details of the outcome, if any.' })),
    chargeId: Type.Optional(Uuid()),
    seenAt: Type.Optional(DateTime({ description: 'When a person marked it as seen.' })),
    seenBy: Type.Optional(Type.String({ description: 'Who marked it, as in the audit log.' })),
  },
  { $id: 'BoletoReturnEntry', ...CLOSED },
);

export const ReturnEntriesPage = Type.Object(
  { entries: Type.Array(Ref(ReturnEntryView)), ...pageCounts },
  { $id: 'BoletoReturnEntriesPage', ...CLOSED },
);

export const SeenEntries = Type.Object(
  { seen: Type.Integer({ minimum: 0, description: 'How many were not seen before.' }) },
  { $id: 'SeenEntries', ...CLOSED },
);

const RETURN_ENTRY_EXAMPLE: Static<typeof ReturnEntryView> = {
  line: 5,
  occurrence: '26',
  words: 'instruction refused',
  reasons: [{ code: 'A5', words: 'title is paid already' }],
  ourNumber: '1042',
  amountCents: 15_990,
  paidCents: 0,
  feeCents: 0,
  occurrenceDay: '2026-11-12',
  outcome: 'needs_attention',
  remark: 'The bank refused an instruction: A5 title is paid already.',
  chargeId: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d92',
};

export const RETURN_ENTRIES_EXAMPLE: Static<typeof ReturnEntriesPage> = {
  ...{ entries: [RETURN_ENTRY_EXAMPLE], total: 1, totalPages: 1, currentPage: 1, hasMore: false },
};

export const SEEN_EXAMPLE: Static<typeof SeenEntries> = { seen: 1 };

export const RETURN_ENTRY_SCHEMAS = [ReturnEntryView, ReturnEntriesPage, SeenEntries];
