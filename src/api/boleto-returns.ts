// Return files of banks: what they say of boletos, on the wire.
import { type Static, Type } from 'typebox';
import { RETURN_OUTCOMES } from '../charges/store-returns.ts';
import { Text, Uuid } from './schemas.ts';

/** Banks name them `.ret`; they are Latin-1. */
export const RETURN_TYPES = ['application/octet-stream', 'text/plain'];

export const ReturnQuery = Type.Object(
  {
    agreement: Type.Optional(Text({ description: 'Which agreement it is of, where the file alone does not say it.' })),
  },
  { additionalProperties: false },
);

const Warning = Type.Object(
  {
    line: Type.Integer({ minimum: 0, description: '0: the file as a whole.' }),
    count: Type.Integer({ minimum: 1, description: 'On how many lines.' }),
    message: Type.String(),
  },
  { additionalProperties: false },
);

export const BoletoReturnView = Type.Object(
  {
    id: Uuid(),
    agreement: Type.String(),
    sequence: Type.Integer({ description: "The bank's number of the file." }),
    madeOn: Type.Optional(Type.String({ format: 'date', description: 'The day of the file, as the bank wrote it.' })),
    isKnown: Type.Boolean({ description: 'It was read to its end before; nothing has changed.' }),
    entries: Type.Integer({ minimum: 0 }),
    counts: Type.Object(
      Object.fromEntries(RETURN_OUTCOMES.map(outcome => [outcome, Type.Optional(Type.Integer({ minimum: 1 }))])),
      { additionalProperties: false, description: 'How its entries ended.' },
    ),
    warnings: Type.Array(Warning),
  },
  { $id: 'BoletoReturn', additionalProperties: false },
);

export const BOLETO_RETURN_EXAMPLE: Static<typeof BoletoReturnView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d90',
  agreement: 'sicoob:main',
  sequence: 9,
  madeOn: '2026-11-12',
  isKnown: false,
  entries: 2,
  counts: { paid: 1, fee: 1 },
  warnings: [{ line: 5, count: 1, message: 'a fee names no title' }],
};

export const RETURN_FILE_EXAMPLE = '75600000         2…';

export const BOLETO_RETURN_SCHEMAS = [BoletoReturnView];
