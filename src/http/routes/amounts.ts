// The amount due of a charge on a day.
import type { FastifyInstance } from 'fastify';
import { AMOUNT_EXAMPLE, AmountQuery, AmountView } from '../../api/amounts.ts';
import { amountView } from '../../charges/amount-view.ts';
import { requireCharge } from '../../charges/require.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sql } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

export function amountRoutes(app: FastifyInstance, deps: { readonly db: Sql; readonly clock: Clock }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/charges/:id/amount',
    operationId: 'getChargeAmount',
    summary: 'Read the amount due on a day',
    description: 'For each method, with the rule behind every line, equal to what the rail would charge.',
    tag: 'Charges',
    path: idOf('charge'),
    query: AmountQuery,
    answer: ok(AmountView, 'The amount owed', AMOUNT_EXAMPLE),
    handle: async ({ path, query, caller }) => {
      const charge = await requireCharge(deps.db, path.id, caller?.accountId);
      return amountView(charge, query.on ?? civilDay(deps.clock.now()));
    },
  });
}
