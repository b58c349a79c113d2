// Return files of banks on the wire.
import { type Static, Type } from 'typebox';
import { RETURN_OUTCOMES } from '../charges/bank-files/store-returns.ts';
import { pageCounts, pageParameters } from './paging.ts';
import { DateTime, Ref, Text, Uuid } from './schemas.ts';

/** Banks name them `.ret`; they are Latin-1. */
export const RETURN_TYPES = ['application/octet-stream', 'text/plain'];

export const ReturnQuery = Type.Object(
  {
    agreement: Type.Optional(Text({ description: 'Its agreement, when the file does not name it.' })),
  },
  { additionalProperties: false },
);

const { page, pageSize } = pageParameters;
export const ReturnsQuery = Type.Object(
  {
    agreement: Type.Optional(Text({ description: 'The name of an agreement, such as `sicoob:main`.' })),
    page,
    pageSize,
  },
  { additionalProperties: false },
);

const Warning = Type.Object(
  {
    line: Type.Integer({ minimum: 0, description: '0 for the whole file.' }),
    count: Type.Integer({ minimum: 1, description: 'The number of lines with it.' }),
    message: Type.String(),
  },
  { additionalProperties: false },
);

const fields = {
  id: Uuid(),
  agreement: Type.String(),
  sequence: Type.Integer({ description: "The bank's number of the file." }),
  madeOn: Type.Optional(Type.String({ format: 'date', description: 'The day of the file, as the bank wrote it.' })),
  receivedAt: DateTime(),
  receivedBy: Type.String({ description: 'Who imported it, as in the audit log.' }),
  digest: Type.String({ description: 'SHA-256 of the file.' }),
  isFinished: Type.Boolean({
    description: 'False when the import was interrupted; it continues when the file is sent again.',
  }),
  entries: Type.Integer({ minimum: 0, description: 'The number of booked entries.' }),
  counts: Type.Object(
    Object.fromEntries(RETURN_OUTCOMES.map(outcome => [outcome, Type.Optional(Type.Integer({ minimum: 1 }))])),
    { additionalProperties: false, description: 'The number of entries with each outcome.' },
  ),
  unseen: Type.Integer({
    minimum: 0,
    description: 'How many entries with the outcome `needs_attention` were not marked as seen.',
  }),
  warnings: Type.Array(Warning),
};

const BoletoReturnView = Type.Object(fields, { $id: 'BoletoReturn', additionalProperties: false });

export const ReadBoletoReturn = Type.Object(
  {
    ...fields,
    isKnown: Type.Boolean({ description: 'True when the file was already imported completely; nothing has changed.' }),
  },
  { $id: 'ReadBoletoReturn', additionalProperties: false },
);

export const BoletoReturnsPage = Type.Object(
  { returns: Type.Array(Ref(BoletoReturnView)), ...pageCounts },
  { $id: 'BoletoReturnsPage', additionalProperties: false },
);

const BOLETO_RETURN_EXAMPLE: Static<typeof BoletoReturnView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d90',
  agreement: 'sicoob:main',
  sequence: 9,
  madeOn: '2026-11-12',
  receivedAt: '2026-11-12T14:00:00.000Z',
  receivedBy: 'key:4fQ2mXw09aBc',
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  isFinished: true,
  entries: 2,
  counts: { paid: 1, needs_attention: 1 },
  unseen: 1,
  warnings: [{ line: 5, count: 1, message: 'a fee names no title' }],
};

export const READ_RETURN_EXAMPLE: Static<typeof ReadBoletoReturn> = { ...BOLETO_RETURN_EXAMPLE, isKnown: false };

export const BOLETO_RETURNS_EXAMPLE: Static<typeof BoletoReturnsPage> = {
  ...{ returns: [BOLETO_RETURN_EXAMPLE], total: 1, totalPages: 1, currentPage: 1, hasMore: false },
};

export const RETURN_FILE_EXAMPLE = '75600000         2…';

export const BOLETO_RETURN_SCHEMAS = [BoletoReturnView, ReadBoletoReturn, BoletoReturnsPage];
