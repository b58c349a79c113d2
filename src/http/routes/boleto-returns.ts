// Return files of banks: uploaded and listed.
import type { FastifyInstance } from 'fastify';
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
import { type ReadDeps, readReturn } from '../../charges/read-return.ts';
import { listReturns, readReturnView } from '../../charges/return-view.ts';
import { invalidRequest } from '../../lib/errors.ts';
import { CnabError } from '../../rails/cnab/cnab-error.ts';
import { MAX_STATEMENT_BYTES } from '../../rails/statement/statement.ts';
import { created, ok } from '../server/answers.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Statements';

export function boletoReturnRoutes(app: FastifyInstance, deps: ReadDeps & { readonly pageSize: number }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/boletos/returns',
    access: 'statements:read',
    operationId: 'listBoletoReturns',
    summary: 'List return files of banks',
    description: 'Newest first, however they came: uploaded, read by the command line, or fetched from a bank.',
    tag,
    query: ReturnsQuery,
    answer: ok(BoletoReturnsPage, 'A page of return files', BOLETO_RETURNS_EXAMPLE),
    handle: async ({ query: { agreement, ...page } }) =>
      listReturns(deps, toPageQuery(page, deps.pageSize), agreement === undefined ? {} : { agreement }),
  });

  // Files are taken here alone, so the parsers are of this scope alone.
  app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      RETURN_TYPES,
      { parseAs: 'buffer', bodyLimit: MAX_STATEMENT_BYTES },
      async (_: unknown, bytes: Buffer) => bytes,
    );
    defineRoute(scope, {
      method: 'POST',
      url: '/boletos/returns',
      access: 'statements:write',
      operationId: 'readBoletoReturn',
      summary: 'Read a return file of a bank',
      description:
        'A CNAB 240 file of at most 10 MB as the body; `trilho cnab read` takes larger ones. Its entries register, reject, pay and write off boletos. To send a file again is safe: it counts once.',
      tag,
      query: ReturnQuery,
      file: { types: RETURN_TYPES, example: RETURN_FILE_EXAMPLE },
      answer: created(ReadBoletoReturn, 'What became of its entries', READ_RETURN_EXAMPLE),
      handle: async ({ query, request }) => {
        const bytes = request.body;
        if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw refusedFile('must be a file that is not empty');
        try {
          return readReturnView(await readReturn(deps, bytes, query.agreement));
        } catch (error) {
          if (!(error instanceof CnabError)) throw error;
          throw refusedFile(`cannot be taken. ${error.message}`);
        }
      },
    });
  });
}

function refusedFile(message: string) {
  return invalidRequest([{ path: 'body', code: 'not_a_return', message }]);
}
