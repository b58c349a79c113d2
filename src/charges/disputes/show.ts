// One dispute with its evidence, as the API shows it.
import type { Sql } from '../../storage/database.ts';
import type { Dispute } from './dispute.ts';
import type { Evidence } from './evidence.ts';
import { listEvidence } from './store-evidence.ts';
import { disputeView } from './view.ts';

export async function showDispute({ db }: { readonly db: Sql }, dispute: Dispute) {
  return { ...disputeView(dispute), evidence: (await listEvidence(db, dispute)).map(evidenceView) };
}

export function evidenceView({ id, name, mediaType, size, text, createdAt, erasedAt }: Evidence) {
  return {
    id,
    name,
    mediaType,
    size,
    text,
    createdAt: createdAt.toISOString(),
    erasedAt: erasedAt?.toISOString(),
  };
}
