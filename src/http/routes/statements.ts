// Routes of bank statements: upload and list.
import type { FastifyInstance } from 'fastify';
import { toPageQuery } from '../../api/paging.ts';
import {
  STATEMENT_FILE_EXAMPLE,
  STATEMENT_TYPES,
  STATEMENTS_EXAMPLE,
  StatementsPage,
  StatementsQuery,
  UPLOADED_EXAMPLE,
  UploadedStatement,
  UploadQuery,
} from '../../api/statements.ts';
import { importFile, importView, listImports } from '../../charges/statements/import-file.ts';
import type { ImportDeps } from '../../charges/statements/statement.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { MAX_STATEMENT_BYTES, type StatementFormat } from '../../rails/statement/statement.ts';
import { StatementError } from '../../rails/statement/statement-error.ts';
import { created, ok } from '../server/answers.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Statements';
const MAX_LISTED = 100;
const TYPES = Object.keys(STATEMENT_TYPES);

export function statementRoutes(app: FastifyInstance, deps: ImportDeps & { readonly pageSize: number }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/statements',
    operationId: 'listStatements',
    summary: 'List imported statements',
    description: 'Newest first, including those of the command line.',
    tag,
    query: StatementsQuery,
    answer: ok(StatementsPage, 'A page of statements', STATEMENTS_EXAMPLE),
    handle: async ({ query }) => listImports(deps, toPageQuery(query, deps.pageSize)),
  });

  // Only these routes take files, so the parsers belong to this scope.
  app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      TYPES,
      { parseAs: 'buffer', bodyLimit: MAX_STATEMENT_BYTES },
      async (_: unknown, bytes: Buffer) => bytes,
    );
    defineRoute(scope, {
      method: 'POST',
      url: '/statements',
      operationId: 'uploadStatement',
      summary: 'Import a bank statement',
      description:
        'An OFX or CSV file of at most 10 MB as the body. Entries with the txid of a charge pay it; other incoming money is kept as unmatched. Sending a file again is safe: known entries are not recorded again.',
      tag,
      query: UploadQuery,
      file: { types: TYPES, example: STATEMENT_FILE_EXAMPLE },
      answer: created(UploadedStatement, 'The outcomes of its entries', UPLOADED_EXAMPLE),
      handle: async ({ query, request }) => {
        const [type = ''] = (request.headers['content-type'] ?? '').split(';');
        const format = formatOf(type.trim().toLowerCase());
        const bytes = request.body;
        if (!format || !Buffer.isBuffer(bytes) || bytes.length === 0) throw emptyFile();
        const options = { debitsHaveMinus: query.debitsHaveMinus === 'true' };
        const { record, duplicates, faults } = await refuseUnreadable(() =>
          importFile(deps, { bytes, format, options }),
        );
        return {
          statement: importView(record),
          duplicates: duplicates.slice(0, MAX_LISTED).map(duplicate => ({ ...duplicate })),
          faults: faults.slice(0, MAX_LISTED).map(({ line, message }) => ({ line, message })),
        };
      },
    });
  });
}

function formatOf(type: string): StatementFormat | undefined {
  return Object.entries(STATEMENT_TYPES).find(([known]) => known === type)?.[1];
}

async function refuseUnreadable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    const faults = [{ path: 'body', code: 'not_a_statement', message: error.message }];
    throw new AppError('invalid_request', error.message, { faults });
  }
}

function emptyFile(): AppError {
  return invalidRequest([{ path: 'body', code: 'empty', message: 'must be a file that is not empty' }]);
}
