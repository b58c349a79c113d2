// Keeps a text or a small file with a dispute.
import { createHash } from 'node:crypto';
import { currentActor } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database } from '../../storage/database.ts';
import { type Evidence, type EvidenceType, isEvidence, MAX_EVIDENCE, MAX_SHOWN_BYTES } from './evidence.ts';
import { lockDispute } from './require.ts';
import { findSameEvidence, insertEvidence, listEvidence } from './store-evidence.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

type AddedFile = { readonly mediaType: EvidenceType; readonly bytes: Buffer; readonly name?: string };

/** The same content again is the evidence that the dispute has. Also possible once the dispute is closed. */
export async function addEvidence(
  { db, clock }: Deps,
  disputeId: string,
  { mediaType, bytes, name }: AddedFile,
  accountId?: string,
): Promise<{ readonly evidence: Evidence; readonly replayed: boolean }> {
  if (!isEvidence(mediaType, bytes)) {
    throw invalidRequest([{ path: 'body', code: 'wrong_type', message: `must be a file of the type ${mediaType}` }]);
  }
  const now = clock.now();
  const id = uuidV7(now);
  const sha256 = createHash('sha256').update(bytes).digest();
  return db.transaction(async tx => {
    const dispute = await lockDispute(tx, disputeId, accountId);
    const first = await findSameEvidence(tx, dispute, sha256);
    if (first) return { evidence: first, replayed: first.id !== id };
    if ((await listEvidence(tx, dispute)).length >= MAX_EVIDENCE) {
      throw new AppError('wrong_state', `This dispute has ${MAX_EVIDENCE} pieces of evidence, which is the most.`);
    }
    const evidence = {
      id,
      accountId: dispute.accountId,
      disputeId,
      mediaType,
      size: bytes.length,
      createdAt: now,
      ...(name !== undefined && { name }),
    };
    await insertEvidence(tx, { ...evidence, content: bytes, sha256, addedBy: currentActor() ?? 'service' });
    const isShown = mediaType === 'text/plain' && bytes.length <= MAX_SHOWN_BYTES;
    return { evidence: { ...evidence, ...(isShown && { text: bytes.toString('utf8') }) }, replayed: false };
  });
}
