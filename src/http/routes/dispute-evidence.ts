// Evidence that is kept with a dispute: texts and small files.
import type { FastifyInstance } from 'fastify';
import { EVIDENCE_EXAMPLE, EVIDENCE_FILE_EXAMPLE, EvidenceQuery, EvidenceView } from '../../api/disputes.ts';
import { Uuid } from '../../api/schemas.ts';
import { addEvidence } from '../../charges/disputes/add-evidence.ts';
import { EVIDENCE_TYPES, MAX_EVIDENCE_BYTES } from '../../charges/disputes/evidence.ts';
import { requireDispute } from '../../charges/disputes/require.ts';
import { evidenceView } from '../../charges/disputes/show.ts';
import { readContent } from '../../charges/disputes/store-evidence.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { recordReading } from '../../storage/audit.ts';
import type { Database } from '../../storage/database.ts';
import { Binary, created, media, REPLAYED } from '../server/answers.ts';
import { limitFiles } from '../server/limits.ts';
import { idOf, pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Disputes';

export function disputeEvidenceRoutes(
  app: FastifyInstance,
  deps: { readonly db: Database; readonly clock: Clock },
): void {
  // Only this route takes files, so the parser belongs to this scope.
  app.register(async scope => {
    scope.removeAllContentTypeParsers();
    scope.addHook('onRequest', limitFiles());
    scope.addContentTypeParser(
      [...EVIDENCE_TYPES],
      { parseAs: 'buffer', bodyLimit: MAX_EVIDENCE_BYTES },
      async (_: unknown, bytes: Buffer) => bytes,
    );
    defineRoute(scope, {
      method: 'POST',
      url: '/disputes/:id/evidence',
      operationId: 'addDisputeEvidence',
      summary: 'Add evidence to a dispute',
      description:
        'A text (`text/plain`, UTF-8), a PDF or a picture as the body, of at most 1 MiB; at most 20 for a dispute. It is kept here and not sent to the bank. Sending the same content again returns the first.',
      tag,
      path: idOf('dispute'),
      query: EvidenceQuery,
      file: { types: EVIDENCE_TYPES, example: EVIDENCE_FILE_EXAMPLE },
      answer: created(EvidenceView, 'The evidence', EVIDENCE_EXAMPLE, REPLAYED),
      problems: ['wrong_state'],
      handle: async ({ path: { id }, query: { name }, request, caller }, reply) => {
        const [given = ''] = (request.headers['content-type'] ?? '').split(';');
        const mediaType = EVIDENCE_TYPES.find(type => type === given.trim().toLowerCase());
        const bytes = request.body;
        if (!mediaType || !Buffer.isBuffer(bytes) || bytes.length === 0) {
          throw invalidRequest([{ path: 'body', code: 'empty', message: 'must be a file that is not empty' }]);
        }
        const file = { mediaType, bytes, ...(name !== undefined && { name }) };
        const { evidence, replayed } = await addEvidence(deps, id, file, caller?.accountId);
        if (replayed) reply.header('idempotent-replayed', 'true');
        return evidenceView(evidence);
      },
    });
  });

  defineRoute(app, {
    method: 'GET',
    url: '/disputes/:id/evidence/:evidenceId/content',
    isOnRecord: true,
    operationId: 'getDisputeEvidence',
    summary: 'Download evidence',
    description:
      'The bytes as they were sent. The audit log has a line for each download, since they may name a payer.',
    tag,
    path: pathOf({ id: Uuid(), evidenceId: Uuid() }, { id: 'dispute', evidenceId: 'evidence' }),
    answer: media<Buffer>('application/octet-stream', Binary, 'The file', EVIDENCE_FILE_EXAMPLE),
    handle: async ({ path: { id, evidenceId }, caller }, reply) => {
      const dispute = await requireDispute(deps.db, id, caller?.accountId);
      const found = await readContent(deps.db, dispute, evidenceId);
      if (!found) throw new AppError('not_found', 'This dispute has no such evidence.');
      if (!found.content) throw new AppError('not_found', 'This evidence was erased with its payer.');
      await recordReading(deps.db, id);
      reply.header('content-disposition', dispositionOf(found.name ?? evidenceId));
      reply.header('cache-control', 'no-store');
      return found.content;
    },
  });
}

/** A download under its name; the name may have any letters (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replace(/[^\w .()-]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, char => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
