// Routes of pauses of payouts.
import type { FastifyInstance } from 'fastify';
import { PAUSES_EXAMPLE, PauseBody, PausesView, ResumeBody } from '../../api/payouts.ts';
import type { Pause } from '../../payouts/policy/pause.ts';
import { type PauseDeps, pausePayouts, resumePayouts } from '../../payouts/policy/pause-and-resume.ts';
import { readPauses } from '../../payouts/store/pauses.ts';
import { checkNetwork } from '../../quotes/check.ts';
import { ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Payouts';
const answer = ok(PausesView, 'All pauses as they are then', PAUSES_EXAMPLE);

export function pauseRoutes(app: FastifyInstance, deps: PauseDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/payouts/pause',
    operationId: 'pausePayouts',
    summary: 'Pause payouts',
    description:
      'Pauses everything, a network, an asset, or an asset on a network, for all accounts. Once this has answered, no order takes a slot on any node until it is resumed. Transfers that have begun continue. Pausing again changes nothing.',
    tag,
    body: PauseBody,
    check: ({ body }) => checkNetwork(body.symbol, body.network),
    answer,
    handle: async ({ body, caller }) => pausesView(await pausePayouts(deps, { ...body, by: actorOf(caller) })),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/payouts/resume',
    operationId: 'resumePayouts',
    summary: 'End a pause of payouts',
    description:
      'Ends the pause of exactly this scope; others stay. Resuming what is not paused changes nothing. The pause after a restore of the database ends only after the books were compared with the chains.',
    tag,
    body: ResumeBody,
    check: ({ body }) => checkNetwork(body.symbol, body.network),
    problems: ['wrong_state'],
    answer,
    handle: async ({ body }) => pausesView(await resumePayouts(deps, body)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/payouts/pauses',
    operationId: 'listPauses',
    summary: 'List pauses of payouts',
    tag,
    answer,
    handle: async () => pausesView(await readPauses(deps.db)),
  });
}

function pausesView(pauses: readonly Pause[]) {
  return { pauses: pauses.map(pause => ({ ...pause, pausedAt: pause.pausedAt.toISOString() })) };
}
