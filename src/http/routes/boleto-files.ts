// Routes of files for banks that register boletos by file: list, download, make; and of the instructions in them.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  BOLETO_FILE_EXAMPLE,
  BOLETO_FILES_EXAMPLE,
  BoletoFilesPage,
  BoletoFilesQuery,
  BoletoFileView,
  INSTRUCTIONS_EXAMPLE,
  InstructionsPage,
  InstructionsQuery,
  MadeBoletoFiles,
  NewBoletoFiles,
  RenewedBoletoFile,
} from '../../api/boleto-files.ts';
import { toPageQuery } from '../../api/paging.ts';
import { Text } from '../../api/schemas.ts';
import { fileView, listBoletoFiles, listInstructions } from '../../charges/bank-files/file-views.ts';
import { fileParts, type MakeDeps, makeFiles } from '../../charges/bank-files/make-file.ts';
import { requireBytes, takeByHand } from '../../charges/bank-files/offer-files.ts';
import { renewFile } from '../../charges/bank-files/renew-file.ts';
import { findFile } from '../../charges/bank-files/store-files.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import { invalidRequest, noSuch, requireFound } from '../../lib/errors.ts';
import { outgoingName } from '../../rails/cnab-boleto/folder.ts';
import { allRails, type Rails } from '../../rails/rails.ts';
import { recordReading } from '../../storage/audit.ts';
import { Binary, created, media, ok } from '../server/answers.ts';
import { pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Statements';
const path = pathOf(
  { agreement: Text(), sequence: Type.Integer({ minimum: 1, maximum: 999_999 }) },
  { agreement: 'agreement', sequence: 'file' },
);

export function boletoFileRoutes(app: FastifyInstance, deps: MakeDeps & { readonly pageSize: number }): void {
  const { db, pageSize } = deps;

  defineRoute(app, {
    method: 'GET',
    url: '/boletos/files',
    operationId: 'listBoletoFiles',
    summary: 'List files to banks',
    description: 'Newest first.',
    tag,
    query: BoletoFilesQuery,
    answer: ok(BoletoFilesPage, 'A page of files', BOLETO_FILES_EXAMPLE),
    handle: async ({ query: { agreement, ...page } }) =>
      listBoletoFiles(deps, toPageQuery(page, pageSize), agreement === undefined ? {} : { agreement }),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/boletos/files',
    operationId: 'makeBoletoFiles',
    summary: 'Make files of the waiting instructions for a bank',
    description:
      'One file, or several where the bank limits the titles of one. They are saved with their numbers before the answer. Carry them to the bank yourself, or let the service put them into the folder or onto the SFTP server of the agreement.',
    tag,
    body: NewBoletoFiles,
    answer: created(MadeBoletoFiles, 'The files', { files: [BOLETO_FILE_EXAMPLE] }),
    handle: async ({ body: { agreement } }) => {
      requireAgreement(deps.rails, agreement);
      setAuditObject(agreement);
      return { files: (await Array.fromAsync(makeFiles(deps, agreement))).map(fileView) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/boletos/files/:agreement/:sequence/renew',
    operationId: 'renewBoletoFile',
    summary: 'Send the unanswered instructions of a file again',
    description:
      'For a file that the bank never got. Its unanswered instructions, and all others that wait, go into a new file with a number of its own; the titles keep theirs. Instructions that need no answer any more, since their boleto was decided or has ended, are closed. If the bank got both files, it refuses the repeats, which does not fail a charge.',
    tag,
    path,
    answer: ok(RenewedBoletoFile, 'The new files', { files: [{ ...BOLETO_FILE_EXAMPLE, sequence: 8 }], closed: 0 }),
    problems: ['wrong_state', 'not_configured'],
    handle: async ({ path: { agreement: rail, sequence } }) => {
      if (!(await findFile(db, { rail, sequence }))) throw noSuch('file');
      const { files, closed } = await renewFile(deps, { rail, sequence });
      return { files: files.map(fileView), closed };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/boletos/files/:agreement/:sequence/take',
    operationId: 'takeBoletoFile',
    summary: 'Take a file to carry it to the bank yourself',
    description:
      'From then on the service does not put it into the folder or onto the SFTP server. If it was offered before, the bank may get it twice.',
    tag,
    path,
    answer: ok(BoletoFileView, 'The file', { ...BOLETO_FILE_EXAMPLE, isTakenByHand: true }),
    problems: ['wrong_state'],
    handle: async ({ path: { agreement: rail, sequence } }) => fileView(await takeByHand(deps, { rail, sequence })),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/boletos/files/:agreement/:sequence/content',
    isOnRecord: true,
    operationId: 'getBoletoFileContent',
    summary: 'Download a file for a bank',
    description:
      'The bytes of the file (CNAB 240, Latin-1), the same each time, until they are removed: see `bytesRemovedAt`. They have names and documents of payers, so the audit log has a line for each download. Downloading changes nothing: to carry the file to the bank yourself, take it first.',
    tag,
    path,
    answer: media<Readable>('application/octet-stream', Binary, 'The file', '75600000…'),
    handle: async ({ path: { agreement: rail, sequence }, request }, reply) => {
      const file = requireFound(await findFile(db, { rail, sequence }), 'file');
      requireBytes(file);
      reply.header('content-disposition', `attachment; filename="${outgoingName(rail, sequence)}"`);
      reply.header('cache-control', 'no-store');
      if (request.method === 'HEAD') return Readable.from([]);
      await recordReading(db, `${rail} ${sequence}`);
      return Readable.from(fileParts(db, file));
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/boletos/instructions',
    operationId: 'listBoletoInstructions',
    summary: 'List instructions for banks',
    description: 'Newest first: to register boletos, and to write them off.',
    tag,
    query: InstructionsQuery,
    answer: ok(InstructionsPage, 'A page of instructions', INSTRUCTIONS_EXAMPLE),
    handle: async ({ query: { agreement, status, ...page } }) =>
      listInstructions(deps, toPageQuery(page, pageSize), {
        ...(agreement !== undefined && { agreement }),
        ...(status !== undefined && { status }),
      }),
  });
}

function requireAgreement(rails: Rails, name: string): void {
  if (allRails(rails).some(rail => rail.name === name && rail.files)) return;
  const message = 'is not an agreement with a bank that takes files';
  throw invalidRequest([{ path: 'agreement', code: 'not_found', message }]);
}
