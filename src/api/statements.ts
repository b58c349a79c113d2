// Imported bank statements on the wire.
import { type Static, Type } from 'typebox';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Uuid } from './schemas.ts';

/** The formats of a statement by the media type of the file. */
export const STATEMENT_TYPES = { 'application/x-ofx': 'ofx', 'text/csv': 'csv' } as const;

const { page, pageSize } = pageParameters;
export const StatementsQuery = Type.Object({ page, pageSize }, { additionalProperties: false });

export const UploadQuery = Type.Object(
  {
    debitsHaveMinus: Type.Optional(
      OneOf(['true', 'false'], {
        description: 'For CSV: the bank writes a minus before each debit, so a file without any has only credits.',
      }),
    ),
  },
  { additionalProperties: false },
);

const Count = (description: string) => Type.Integer({ minimum: 0, description });

const StatementView = Type.Object(
  {
    id: Uuid(),
    importedAt: DateTime(),
    importedBy: Type.String({ description: 'Who imported it, as in the audit log.' }),
    format: OneOf(['ofx', 'csv']),
    digest: Type.String({ description: 'SHA-256 of the file.' }),
    counts: Type.Object(
      {
        matched: Count('Paid a charge with the exact amount.'),
        differing: Count('Paid a charge with another amount.'),
        repeated: Count('Paid a charge that was already paid.'),
        duplicate: Count('Possible duplicates; kept for a person.'),
        returned: Count('Money that came back; kept for a person.'),
        unmatched: Count('Matched no charge; kept for a person.'),
        known: Count('Already imported.'),
        outgoing: Count('Not incoming money.'),
      },
      { additionalProperties: false },
    ),
    faults: Count('Lines that could not be read.'),
  },
  { $id: 'Statement', additionalProperties: false },
);

export const UploadedStatement = Type.Object(
  {
    statement: Ref(StatementView),
    duplicates: Type.Array(
      Type.Object({ reference: Type.String(), duplicateOf: Type.String() }, { additionalProperties: false }),
      { description: 'New possible duplicates, at most 100 of them.' },
    ),
    faults: Type.Array(Type.Object({ line: Type.Integer(), message: Type.String() }, { additionalProperties: false }), {
      description: 'Lines that could not be read, at most 100 of them.',
    }),
  },
  { $id: 'UploadedStatement', additionalProperties: false },
);

export const StatementsPage = Type.Object(
  { statements: Type.Array(Ref(StatementView)), ...pageCounts },
  { $id: 'StatementsPage', additionalProperties: false },
);

const STATEMENT_EXAMPLE: Static<typeof StatementView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d89',
  importedAt: '2026-11-12T14:00:00.000Z',
  importedBy: 'key:4fQ2mXw09aBc',
  format: 'ofx',
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  counts: { matched: 12, differing: 0, repeated: 0, duplicate: 0, returned: 0, unmatched: 1, known: 0, outgoing: 7 },
  faults: 0,
};

export const UPLOADED_EXAMPLE: Static<typeof UploadedStatement> = {
  statement: STATEMENT_EXAMPLE,
  duplicates: [],
  faults: [],
};

export const STATEMENTS_EXAMPLE: Static<typeof StatementsPage> = {
  statements: [STATEMENT_EXAMPLE],
  ...ONE_PAGE,
};

export const STATEMENT_FILE_EXAMPLE = 'Data;Valor;Descrição\n10/12/2026;159,90;PIX RECEBIDO\n';

export const STATEMENT_SCHEMAS = [StatementView, UploadedStatement, StatementsPage];
