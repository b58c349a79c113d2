// GET and POST /sandbox/clock: reads business time and moves it forward.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { DateTime } from '../../api/schemas.ts';
import { ok } from '../../http/server/answers.ts';
import { defineRoute } from '../../http/server/route.ts';
import { addDuration, LAST_MOMENT_MS, parseDuration, parseRfc3339 } from '../../lib/date-times.ts';
import { type Fault, invalidRequest } from '../../lib/errors.ts';
import { type MoveClockDeps, moveClock } from '../clock/move.ts';

const ClockBody = Type.Object(
  {
    advance: Type.Optional(Type.String({ format: 'duration', description: 'How far forward: `P3D`, `PT2H30M`.' })),
    to: Type.Optional(DateTime({ description: 'To which moment.' })),
  },
  { $id: 'ClockMove', additionalProperties: false, examples: [{ advance: 'P3D' }] },
);
type ClockBody = Static<typeof ClockBody>;

const ClockView = Type.Object({ now: DateTime() }, { $id: 'Clock', additionalProperties: false });

export const CLOCK_SCHEMAS = [ClockBody, ClockView];

const tag = 'Sandbox';
const answer = ok(ClockView, 'Business time', { now: '2026-12-14T12:00:00.000Z' });

export type ClockRouteDeps = MoveClockDeps;

export function clockRoutes(app: FastifyInstance, deps: ClockRouteDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/sandbox/clock',
    operationId: 'getSandboxClock',
    summary: 'Read the clock',
    description: 'Sandbox only.',
    tag,
    answer,
    handle: async () => {
      await deps.clock.refresh();
      return { now: deps.clock.now().toISOString() };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/clock',
    operationId: 'moveSandboxClock',
    summary: 'Move the clock forward',
    description: 'Sandbox only. Runs everything that becomes due on the way, in order, and answers when it is done.',
    tag,
    body: ClockBody,
    answer,
    problems: ['wrong_state'],
    handle: async ({ body }) => {
      const targetFrom = (now: Date) => {
        const target = targetOf(body, now);
        const faults = checkMove(body, target);
        if (!target || faults.length > 0) throw invalidRequest(faults);
        return target;
      };
      return { now: (await moveClock(deps, targetFrom)).toISOString() };
    },
  });
}

/** The clock goes no further: the banking calendar is unknown beyond, and the clock cannot be moved back. */
const LAST_DAY = new Date('2199-12-31T23:59:59Z');

function targetOf({ advance, to }: ClockBody, now: Date): Date | undefined {
  if ((advance === undefined) === (to === undefined)) return undefined;
  if (to !== undefined) return parseRfc3339(to);
  const duration = parseDuration(advance ?? '');
  return duration && (addDuration(now, duration) ?? new Date(LAST_MOMENT_MS));
}

function checkMove({ advance, to }: ClockBody, target: Date | undefined): Fault[] {
  const path = to === undefined ? 'advance' : 'to';
  if (target && target > LAST_DAY) return [{ path, code: 'too_far', message: 'must not lead past the year 2199' }];
  if ((advance === undefined) !== (to === undefined)) return [];
  return [{ path: 'advance', code: 'required', message: 'or to is required, and only one of them' }];
}
