// What needs a person about subscriptions: cycles for which no charge can be made, or no order.
import type { FastifyRequest } from 'fastify';
import {
  countRefusedCycles,
  countUnorderedCycles,
  readRefusedCycles,
  readUnorderedCycles,
} from '../../billing/subscriptions/store-refused.ts';
import type { ListDeps } from './charges.ts';
import { count, day, when } from './formats.ts';
import { type Need, need } from './need.ts';
import { badge, idLink, table } from './parts.ts';
import { may } from './shell.ts';

const FIRST = 10;
const COUNT_LIMIT = 10_000;

export async function refusedCycles(deps: ListDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'subscriptions:read')) return undefined;
  const [cycles, total] = await Promise.all([
    readRefusedCycles(deps.db, FIRST, caller?.accountId),
    countRefusedCycles(deps.db, COUNT_LIMIT, caller?.accountId),
  ]);
  const rows = cycles.map(cycle => [
    idLink(`/dashboard/subscriptions/${cycle.subscriptionId}`, cycle.subscriptionId),
    count(cycle.number),
    day(cycle.day),
    badge(cycle.status),
    cycle.reason ?? '–',
    when(cycle.retryAt),
  ]);
  return need(
    'Cycles that cannot be charged',
    total,
    '/dashboard/subscriptions',
    table({
      caption: 'Cycles of subscriptions for which no charge can be made',
      head: ['Subscription', '#Cycle', 'Day', 'Status', 'Why', 'Next attempt'],
      rows,
    }),
  );
}

export async function unorderedCycles(deps: ListDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'subscriptions:read')) return undefined;
  const [cycles, total] = await Promise.all([
    readUnorderedCycles(deps.db, FIRST, caller?.accountId),
    countUnorderedCycles(deps.db, COUNT_LIMIT, caller?.accountId),
  ]);
  const rows = cycles.map(cycle => [
    idLink(`/dashboard/subscriptions/${cycle.subscriptionId}`, cycle.subscriptionId),
    count(cycle.number),
    day(cycle.day),
    cycle.chargeId === undefined ? '–' : idLink(`/dashboard/charges/${cycle.chargeId}`, cycle.chargeId),
    cycle.orderReason ?? '–',
  ]);
  return need(
    'Paid cycles that buy nothing yet',
    total,
    '/dashboard/subscriptions',
    table({
      caption: 'Paid cycles of subscriptions whose money could buy no crypto yet',
      head: ['Subscription', '#Cycle', 'Day', 'Charge', 'Why'],
      rows,
    }),
  );
}
