// Routes of senders that were halted because another program used their key, or because the books are older than the chain.
import type { FastifyInstance } from 'fastify';
import { FillGapBody, GAP_FILLS_EXAMPLE, GapFillsView } from '../../api/payouts.ts';
import { HALTED_SENDERS_EXAMPLE, HaltedSendersView, ResumeSenderBody } from '../../api/senders.ts';
import type { Chains } from '../../chains/chain.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { fillGap } from '../../payouts/line/fill-gap.ts';
import { resumeHaltedSender } from '../../payouts/line/resume-sender.ts';
import type { OwnerRecords } from '../../payouts/owner.ts';
import { findSender, readHalts } from '../../payouts/store/senders.ts';
import { payoutView } from '../../payouts/view.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { requireFreshLogin } from '../server/auth.ts';
import { defineRoute } from '../server/route.ts';

export type SenderDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly log: Log;
  readonly payoutOwner: OwnerRecords;
  readonly operatorAccountId: string;
};

const tag = 'Payouts';
const answer = ok(HaltedSendersView, 'All halted senders as they are then', HALTED_SENDERS_EXAMPLE);

export function senderRoutes(app: FastifyInstance, deps: SenderDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/payouts/senders/halted',
    operationId: 'listHaltedSenders',
    summary: 'List halted senders',
    description:
      'Senders that take no slots, because another program used their key, or because the chain shows transfers that are not in the database, such as after a standby took over.',
    tag,
    answer,
    handle: async () => haltedView(deps.db),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/payouts/senders/resume',
    operationId: 'resumeSender',
    summary: 'Resume a halted sender',
    description:
      'Once its key is safe and every transfer that the network shows is in the books or explained: orders take its slots again, after those that the network has used. Otherwise the answer is 409 and names the transfers, with the orders that they may have paid. For all accounts. A person must have shown a passkey within five minutes. A sender that is not halted stays as it is.',
    tag,
    body: ResumeSenderBody,
    answer,
    problems: ['not_found', 'wrong_state', 'chain_unavailable'],
    handle: async ({ body: { network, sender }, caller }) => {
      requireFreshLogin(caller, deps.clock.now());
      if (!(await findSender(deps.db, network, sender))) {
        throw new AppError('not_found', 'The service has not sent from this address on this network.');
      }
      await resumeHaltedSender(deps, network, sender);
      return haltedView(deps.db);
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/payouts/senders/fill-gap',
    operationId: 'fillGap',
    summary: 'Fill the gap in the slots of a sender',
    description:
      'Where `GET /chains` shows `missingSlots`, nothing after them is mined. Each is used up by a transaction that moves nothing. For all accounts. A person must have shown a passkey within five minutes. A repeat returns the open fills.',
    tag,
    body: FillGapBody,
    answer: ok(GapFillsView, 'The payouts that fill it', GAP_FILLS_EXAMPLE),
    problems: ['wrong_state', 'chain_unavailable', 'not_configured'],
    handle: async ({ body: { network }, caller }) => {
      requireFreshLogin(caller, deps.clock.now());
      const fills = await fillGap(deps, { network, by: actorOf(caller) });
      return { payouts: fills.map(payoutView) };
    },
  });
}

async function haltedView(db: Sql) {
  const senders = await readHalts(db);
  return { senders: senders.map(one => ({ ...one, haltedAt: one.haltedAt.toISOString() })) };
}
