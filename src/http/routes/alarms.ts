// Alarms of payouts.
import type { FastifyInstance } from 'fastify';
import { ALARMS_EXAMPLE, AlarmsView } from '../../api/alarms.ts';
import { readOpenAlarms } from '../../payouts/store/alarms.ts';
import { alarmView } from '../../payouts/watch/alarm.ts';
import type { Sql } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { defineRoute } from '../server/route.ts';

export function alarmRoutes(app: FastifyInstance, deps: { readonly db: Sql }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/payouts/alarms',
    operationId: 'listAlarms',
    summary: 'List alarms of payouts',
    description: 'Open alarms, oldest first. They are judged once a minute.',
    tag: 'Payouts',
    answer: ok(AlarmsView, 'All open alarms', ALARMS_EXAMPLE),
    handle: async () => ({ alarms: (await readOpenAlarms(deps.db)).map(alarmView) }),
  });
}
