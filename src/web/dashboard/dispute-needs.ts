// What needs a person about disputes: those that are open.
import type { FastifyRequest } from 'fastify';
import { readDisputePage } from '../../charges/disputes/store-list.ts';
import { html } from '../html.ts';
import type { ListDeps } from './charges.ts';
import { CAUSES, untilOf } from './disputes.ts';
import { reais, when } from './formats.ts';
import { type Need, need } from './need.ts';
import { idLink, table } from './parts.ts';
import { may } from './shell.ts';

const FIRST = { page: 1, pageSize: 10 };

export async function openDisputes(deps: ListDeps, { caller }: FastifyRequest): Promise<Need> {
  if (!may(caller, 'charges:read')) return undefined;
  const accountId = caller?.accountId;
  const query = { ...FIRST, status: 'open', ...(accountId !== undefined && { accountId }) } as const;
  const { disputes, total } = await readDisputePage(deps.db, query);
  const rows = disputes.map(dispute => [
    idLink(`/dashboard/disputes/${dispute.id}`, dispute.id),
    reais(dispute.amountCents),
    CAUSES[dispute.cause],
    untilOf(dispute, deps.clock.now()),
    when(dispute.createdAt),
    may(caller, 'refunds:write') &&
      html`<a class="button secondary small" href="/dashboard/disputes/${dispute.id}/close">Record its end</a>`,
  ]);
  return need(
    'Open disputes',
    total,
    '/dashboard/disputes?status=open',
    table({ caption: 'Open disputes', head: ['Dispute', '#Blocked', 'Cause', 'Blocked until', 'Since', ''], rows }),
  );
}
