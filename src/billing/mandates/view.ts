// A mandate and a collection as the API and events show them. Their schemas are in api/; JSON leaves out what is undefined.
import { uuidV7 } from '../../lib/ids.ts';
import type { Ending } from '../../rails/automatic.ts';
import type { Collection, CollectionEvent } from './collection.ts';
import type { Mandate, MandateEvent } from './mandate.ts';

export function mandateView(mandate: Mandate) {
  const { id, accountId, customerId, externalId, journey, approvedBy, contract, description, period } = mandate;
  const { firstDay, lastDay, amountCents, minimumCents, allowsRetries, chargeId, status, pspStatus } = mandate;
  const { recurrenceId, emv, ending, reason, cancelRefusal, createdAt, updatedAt } = mandate;
  return {
    id,
    accountId,
    customerId,
    externalId,
    journey,
    approvedBy,
    contract,
    description,
    period,
    firstDay,
    lastDay,
    amountCents: amountCents === undefined ? undefined : Number(amountCents),
    minimumCents: minimumCents === undefined ? undefined : Number(minimumCents),
    retries: allowsRetries,
    chargeId,
    status,
    pspStatus,
    recurrenceId,
    emv,
    ending: endingView(ending),
    reason,
    cancelRefusal,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function collectionView(collection: Collection) {
  const { id, accountId, mandateId, chargeId, amountCents, dueDay, status, pspStatus, attempts } = collection;
  const { ending, reason, cancelRefusal, createdAt, updatedAt } = collection;
  return {
    id,
    accountId,
    mandateId,
    chargeId,
    amountCents: Number(amountCents),
    dueDay,
    status,
    pspStatus,
    attempts: attempts.map(({ day, kind, status, pspStatus, paymentReference, refusal }) => ({
      day,
      kind,
      status,
      pspStatus,
      paymentReference,
      refusal,
    })),
    ending: endingView(ending),
    reason,
    cancelRefusal,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function endingView(ending: Ending | undefined) {
  return ending && { by: ending.by, code: ending.code, description: ending.description };
}

/** An event that carries the mandate as it is now. */
export function mandateEvent(mandate: Mandate, type: MandateEvent, at: Date) {
  return eventAbout(mandate, type, at, mandateView(mandate));
}

export function collectionEvent(collection: Collection, type: CollectionEvent, at: Date) {
  return eventAbout(collection, type, at, collectionView(collection));
}

type About = { readonly id: string; readonly accountId: string; readonly eventCount: number };

function eventAbout(about: About, type: string, at: Date, object: object) {
  const { id: objectId, accountId, eventCount: sequence } = about;
  return { id: uuidV7(at), accountId, type, objectId, sequence, occurredAt: at, object };
}
