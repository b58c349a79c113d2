// What needs a person about mandates: cancellations that a PSP refuses.
import type { FastifyRequest } from 'fastify';
import { readCancelRefusals } from '../../billing/mandates/store-refusals.ts';
import type { ListDeps } from './charges.ts';
import { when } from './formats.ts';
import { type Need, need } from './need.ts';
import { idLink, table } from './parts.ts';
import { may } from './shell.ts';

const FIRST = 10;

/** The payer's bank may still collect what was to be canceled. */
export async function refusedCancellations({ db }: ListDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'charges:read')) return undefined;
  const { refusals, total } = await readCancelRefusals(db, FIRST, caller?.accountId);
  const rows = refusals.map(({ mandateId, collectionId, reason, askedAt }) => [
    idLink(`/dashboard/mandates/${mandateId}`, mandateId),
    collectionId === undefined ? 'the mandate' : 'a collection',
    reason,
    askedAt ? when(askedAt) : '–',
  ]);
  return need(
    'Cancellations that a PSP refuses',
    total,
    '/dashboard/mandates',
    table({ caption: 'Cancellations that a PSP refuses', head: ['Mandate', 'What', 'Why', 'Requested'], rows }),
  );
}
