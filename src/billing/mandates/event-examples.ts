// An event of each type: a sandbox has no PSP that could cause them.
import { COLLECTION_EVENTS, type CollectionEvent, type CollectionState } from './collection.ts';
import { MANDATE_EVENTS, type MandateEvent, type MandateStatus } from './mandate.ts';

const MANDATE = {
  id: '019a8b5e-3c80-7a11-9b02-1c2d3e4f5a60',
  accountId: 'acme',
  customerId: '019a8b5e-3c6e-7d15-8a02-6b1c2d3e4f50',
  journey: 2,
  contract: '63100862',
  description: 'Plano mensal',
  period: 'MONTHLY',
  firstDay: '2026-12-10',
  amountCents: 3_500,
  retries: true,
  recurrenceId: 'RR9999999920261116abcdefghijk',
  createdAt: '2026-11-16T12:00:00.000Z',
  updatedAt: '2026-11-16T12:10:00.000Z',
};

const COLLECTION = {
  id: '019a8b5e-3c81-7b22-8c03-2d3e4f5a6b70',
  accountId: 'acme',
  mandateId: MANDATE.id,
  chargeId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  amountCents: 3_500,
  dueDay: '2026-12-10',
  attempts: [],
  createdAt: '2026-11-30T12:00:00.000Z',
  updatedAt: '2026-11-30T12:10:00.000Z',
};

const STATUS_OF: Readonly<Record<MandateEvent, MandateStatus>> = {
  'mandate.created': 'CREATED',
  'mandate.approved': 'APPROVED',
  'mandate.rejected': 'REJECTED',
  'mandate.expired': 'EXPIRED',
  'mandate.canceled': 'CANCELED',
  'mandate.failed': 'FAILED',
};

const STATE_OF: Readonly<Record<CollectionEvent, CollectionState>> = {
  'mandate.collection_created': 'WAITING',
  'mandate.collection_retried': 'ACTIVE',
  'mandate.collection_completed': 'COMPLETED',
  'mandate.collection_failed': 'EXPIRED',
  'mandate.collection_canceled': 'CANCELED',
};

type About = { readonly id: string; readonly accountId: string; readonly updatedAt: string };

function examplesOf(types: readonly string[], object: About, statusOf: Readonly<Record<string, string>>) {
  const { id, accountId, updatedAt: occurredAt } = object;
  return Object.fromEntries(
    types.map((type, index) => {
      const shown = { ...object, status: statusOf[type] };
      return [type, { id, type, occurredAt, accountId, objectId: id, sequence: index + 1, object: shown }];
    }),
  );
}

export const MANDATE_EVENT_EXAMPLES = examplesOf(MANDATE_EVENTS, MANDATE, STATUS_OF);
export const COLLECTION_EVENT_EXAMPLES = examplesOf(COLLECTION_EVENTS, COLLECTION, STATE_OF);
