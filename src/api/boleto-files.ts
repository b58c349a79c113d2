// Files for banks and their instructions on the wire.
import { type Static, Type } from 'typebox';
import { INSTRUCTION_STATUSES } from '../charges/bank-files/store-lists.ts';
import { pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const { page, pageSize } = pageParameters;
const Agreement = () => Text({ description: 'The name of an agreement, such as `sicoob:main`.' });
const agreement = Type.Optional(Agreement());
const CLOSED = { additionalProperties: false } as const;

export const BoletoFilesQuery = Type.Object({ agreement, page, pageSize }, CLOSED);
export const InstructionsQuery = Type.Object(
  { agreement, status: Type.Optional(OneOf(INSTRUCTION_STATUSES)), page, pageSize },
  CLOSED,
);

export const NewBoletoFiles = Type.Object(
  { agreement: Agreement() },
  { $id: 'NewBoletoFiles', ...CLOSED, examples: [{ agreement: 'sicoob:main' }] },
);

export const BoletoFileView = Type.Object(
  {
    agreement: Type.String(),
    sequence: Type.Integer({ minimum: 1, description: 'Its number at the bank: never used for another file.' }),
    name: Type.String({ description: 'Its file name in a folder or on a server.' }),
    madeAt: DateTime(),
    titles: Type.Integer({ minimum: 1 }),
    digest: Type.String({ description: 'SHA-256 of its bytes, which never change.' }),
    unanswered: Type.Integer({ minimum: 0, description: 'The number of its unanswered instructions.' }),
    isTakenByHand: Type.Optional(
      Type.Literal(true, { description: 'A person took it to the bank before the service offered it.' }),
    ),
    renewedAt: Type.Optional(DateTime({ description: 'When its unanswered instructions went into a new file.' })),
    bytesRemovedAt: Type.Optional(
      DateTime({
        description: 'When its bytes were removed, because they name payers: it can no longer be downloaded.',
      }),
    ),
    offeredAt: Type.Optional(
      DateTime({
        description: 'When it was first put into the folder, sent by SFTP, or taken by a person.',
      }),
    ),
  },
  { $id: 'BoletoFile', ...CLOSED },
);

export const BoletoFilesPage = Type.Object(
  { files: Type.Array(Ref(BoletoFileView)), ...pageCounts },
  { $id: 'BoletoFilesPage', ...CLOSED },
);

export const MadeBoletoFiles = Type.Object(
  { files: Type.Array(Ref(BoletoFileView), { description: 'Empty when nothing waited.' }) },
  { $id: 'MadeBoletoFiles', ...CLOSED },
);

export const RenewedBoletoFile = Type.Object(
  {
    files: Type.Array(Ref(BoletoFileView), { description: 'The new files; empty when nothing waited.' }),
    closed: Type.Integer({
      minimum: 0,
      description:
        'How many instructions of the old file need no answer any more, since their boletos were decided or have ended, or another due date was requested.',
    }),
  },
  { $id: 'RenewedBoletoFile', ...CLOSED },
);

const InstructionView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.String(),
    chargeId: Uuid(),
    agreement: Type.String(),
    movement: OneOf(['register', 'write_off', 'change_due_day'], {
      description: 'What the bank must do with the boleto.',
    }),
    status: OneOf(INSTRUCTION_STATUSES, {
      description: '`waiting` for a file; `in_file`; `dropped`: the charge ended before a file had it.',
    }),
    createdAt: DateTime(),
    file: Type.Optional(Type.Integer({ minimum: 1, description: 'The sequence of the file that has it.' })),
  },
  { $id: 'BoletoInstruction', ...CLOSED },
);

export const InstructionsPage = Type.Object(
  { instructions: Type.Array(Ref(InstructionView)), ...pageCounts },
  { $id: 'BoletoInstructionsPage', ...CLOSED },
);

export const BOLETO_FILE_EXAMPLE: Static<typeof BoletoFileView> = {
  agreement: 'sicoob:main',
  sequence: 7,
  name: 'sicoob-main-000007.rem',
  madeAt: '2026-11-12T12:30:00.000Z',
  titles: 42,
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  unanswered: 42,
  offeredAt: '2026-11-12T12:30:01.000Z',
};

const INSTRUCTION_EXAMPLE: Static<typeof InstructionView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d91',
  accountId: 'acme',
  chargeId: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d92',
  agreement: 'sicoob:main',
  movement: 'register',
  status: 'in_file',
  createdAt: '2026-11-12T12:00:00.000Z',
  file: 7,
};

const ONE_PAGE = { total: 1, totalPages: 1, currentPage: 1, hasMore: false };
export const BOLETO_FILES_EXAMPLE: Static<typeof BoletoFilesPage> = { files: [BOLETO_FILE_EXAMPLE], ...ONE_PAGE };
export const INSTRUCTIONS_EXAMPLE: Static<typeof InstructionsPage> = {
  instructions: [INSTRUCTION_EXAMPLE],
  ...ONE_PAGE,
};

export const BOLETO_FILE_SCHEMAS = [
  ...[NewBoletoFiles, BoletoFileView, BoletoFilesPage, MadeBoletoFiles, RenewedBoletoFile],
  ...[InstructionView, InstructionsPage],
];
