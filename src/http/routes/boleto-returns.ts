// Routes of return files of banks: upload and list.

import { CnabError, MAX_FILE_BYTES } from '@trilho/cnab';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import {
  RETURN_ENTRIES_EXAMPLE,
  ReturnEntriesPage,
  ReturnEntriesQuery,
  SEEN_EXAMPLE,
  SeenEntries,
} from '../../api/boleto-return-entries.ts';
import {
  BOLETO_RETURNS_EXAMPLE,
  BoletoReturnsPage,
  READ_RETURN_EXAMPLE,
  RETURN_FILE_EXAMPLE,
  RETURN_TYPES,
  ReadBoletoReturn,
  ReturnQuery,
  ReturnsQuery,
} from '../../api/boleto-returns.ts';
import { toPageQuery } from '../../api/paging.ts';
import { Uuid } from '../../api/schemas.ts';
import { type ReadDeps, readReturn } from '../../charges/bank-files/read-return.ts';
import { listEntries, seeEntries, warnOfEntries } from '../../charges/bank-files/return-entries.ts';
import { listReturns, readReturnView } from '../../charges/bank-files/return-view.ts';
import { invalidRequest } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { created, ok } from '../server/answers.ts';
import { limitFiles } from '../server/limits.ts';
import { idOf, pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Statements';
const entryPath = pathOf(
  { id: Uuid(), line: Type.Integer({ minimum: 1, maximum: 9_999_999 }) },
  { id: 'return file', line: 'entry' },
);

type Deps = ReadDeps & { readonly log: Log; readonly pageSize: number };

export function boletoReturnRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/boletos/returns',
    operationId: 'listBoletoReturns',
    summary: 'List return files of banks',
    description: 'Newest first: uploaded, read by the command line, or fetched from a bank.',
    tag,
    query: ReturnsQuery,
    answer: ok(BoletoReturnsPage, 'A page of return files', BOLETO_RETURNS_EXAMPLE),
    handle: async ({ query: { agreement, ...page } }) =>
      listReturns(deps, toPageQuery(page, deps.pageSize), agreement === undefined ? {} : { agreement }),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/boletos/returns/:id/entries',
    operationId: 'listBoletoReturnEntries',
    summary: 'List the entries of a return file',
    description:
      'In the order of the file, with their outcomes. Those with the outcome `needs_attention` need a person.',
    tag,
    path: idOf('return file'),
    query: ReturnEntriesQuery,
    answer: ok(ReturnEntriesPage, 'A page of entries', RETURN_ENTRIES_EXAMPLE),
    handle: async ({ path, query: { outcome, ...page } }) =>
      listEntries(deps, path.id, toPageQuery(page, deps.pageSize), outcome),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/boletos/returns/:id/seen',
    operationId: 'seeBoletoReturn',
    summary: 'Mark all entries of a return file that need a person as seen',
    description: 'It changes nothing else. Repeating it is safe.',
    tag,
    path: idOf('return file'),
    answer: ok(SeenEntries, 'How many entries were marked', SEEN_EXAMPLE),
    handle: async ({ path }) => ({ seen: await seeEntries(deps, { returnId: path.id }) }),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/boletos/returns/:id/entries/:line/seen',
    operationId: 'seeBoletoReturnEntry',
    summary: 'Mark an entry that needs a person as seen',
    description: 'It changes nothing else. Repeating it is safe.',
    tag,
    path: entryPath,
    answer: ok(SeenEntries, '1 if it was not seen before', SEEN_EXAMPLE),
    handle: async ({ path: { id, line } }) => ({ seen: await seeEntries(deps, { returnId: id, line }) }),
  });

  // Only these routes take files, so the parsers belong to this scope.
  app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addHook('onRequest', limitFiles());
    scope.addContentTypeParser(
      RETURN_TYPES,
      { parseAs: 'buffer', bodyLimit: MAX_FILE_BYTES },
      async (_: unknown, bytes: Buffer) => bytes,
    );
    defineRoute(scope, {
      method: 'POST',
      url: '/boletos/returns',
      operationId: 'readBoletoReturn',
      summary: 'Read a return file of a bank',
      description:
        'A CNAB 240 file of at most 128 MB as the body. Its entries register, reject, pay and write off boletos. Sending a file again is safe: it is booked once.',
      tag,
      query: ReturnQuery,
      file: { types: RETURN_TYPES, example: RETURN_FILE_EXAMPLE },
      answer: created(ReadBoletoReturn, 'The outcomes of its entries', READ_RETURN_EXAMPLE),
      handle: async ({ query, request }) => {
        const bytes = request.body;
        if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw refusedFile('must be a file that is not empty');
        try {
          const read = await readReturn(deps, bytes, query.agreement);
          warnOfEntries(deps.log, read);
          return readReturnView(read);
        } catch (error) {
          if (!(error instanceof CnabError)) throw error;
          throw refusedFile(`cannot be taken. ${error.message.replace(/\.$/, '')}`);
        }
      },
    });
  });
}

function refusedFile(message: string) {
  return invalidRequest([{ path: 'body', code: 'not_a_return', message }]);
}
