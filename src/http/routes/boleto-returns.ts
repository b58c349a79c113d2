// Return files of banks, uploaded.
import type { FastifyInstance } from 'fastify';
import {
  BOLETO_RETURN_EXAMPLE,
  BoletoReturnView,
  RETURN_FILE_EXAMPLE,
  RETURN_TYPES,
  ReturnQuery,
} from '../../api/boleto-returns.ts';
import { type ReadDeps, readReturn } from '../../charges/read-return.ts';
import { returnView } from '../../charges/return-view.ts';
import { invalidRequest } from '../../lib/errors.ts';
import { CnabError } from '../../rails/cnab/cnab-error.ts';
import { MAX_STATEMENT_BYTES } from '../../rails/statement/statement.ts';
import { created } from '../server/answers.ts';
import { defineRoute } from '../server/route.ts';

export function boletoReturnRoutes(app: FastifyInstance, deps: ReadDeps): void {
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
      tag: 'Statements',
      query: ReturnQuery,
      file: { types: RETURN_TYPES, example: RETURN_FILE_EXAMPLE },
      answer: created(BoletoReturnView, 'What became of its entries', BOLETO_RETURN_EXAMPLE),
      handle: async ({ query, request }) => {
        const bytes = request.body;
        if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw refusedFile('must be a file that is not empty');
        try {
          return returnView(await readReturn(deps, bytes, query.agreement));
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
