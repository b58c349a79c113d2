// Subscriptions over years of sandbox time, on two nodes that are killed while the clock moves; and what must hold at the end. The days of
// the cycles come from a calendar of its own, and what was paid from the answers to the payers.
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../src/storage/database.ts';
import { differences } from './order-proof.ts';
import { randomOf } from './random.ts';

export type DrillNode = { readonly url: string; kill(): void };

type Options = {
  readonly db: Database;
  start(): Promise<DrillNode>;
  readonly subscriptions: number;
  readonly months: number;
  readonly kills: number;
  readonly seed: number;
  onMonth?(month: number): void;
};

export type DrillResult = {
  readonly kills: number;
  readonly charges: number;
  readonly payments: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Anything else that is not as it should be. */
  readonly wrong: readonly string[];
};

const DAY_MS = 86_400_000;
/** Longer than a killed move holds the clock. */
const MOVE_LIMIT_MS = 10 * 60_000;
const AGAIN_MS = 250;
const NODES = 2;

const INTERVALS = ['weekly', 'monthly', 'monthly', 'monthly', 'quarterly', 'yearly'] as const;
const STARTS_WITHIN_DAYS = 28;

type Made = {
  readonly id: string;
  readonly interval: (typeof INTERVALS)[number];
  readonly startDay: string;
  /** The customer never pays, pays after the cycle was past due, or at once. */
  readonly pays: 'never' | 'late' | 'at once';
};

export async function runSubscriptions(options: Options): Promise<DrillResult> {
  const { db, start, subscriptions, months, kills, seed, onMonth } = options;
  const random = randomOf(seed, 0);
  const nodes: DrillNode[] = [];
  for (let count = 0; count < NODES; count++) nodes.push(await start());
  const call = callerOf(() => random.pick(nodes).url);
  const begin = await clockOf(call);
  const made = await makeAll(call, subscriptions, begin, seed);
  const paid = new Map<string, string>();
  let killed = 0;
  for (let month = 0; month < months; month++) {
    const to = new Date(begin.getTime() + (((month + 1) * 365.25) / 12) * DAY_MS);
    const moving = moveTo(call, to);
    for (const until = Math.floor((kills * (month + 1)) / months); killed < until; killed++) {
      await Promise.race([wait(random.below(4_000)), moving]);
      const index = random.below(NODES);
      nodes[index]!.kill();
      nodes[index] = await start();
    }
    await moving;
    await payAll(call, db, made, paid);
    onMonth?.(month + 1);
  }
  const end = await clockOf(call);
  await moveTo(call, new Date(end.getTime() + 60_000));
  for (const node of nodes) node.kill();
  return prove(db, made, paid, { kills: killed, end });
}

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Record<string, string>>;

/** A request that is not answered is not sent again here: only the clock is moved while nodes are killed. */
function callerOf(url: () => string): Call {
  return async (method, path, body) => {
    const answer = await fetch(url() + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  };
}

async function clockOf(call: Call): Promise<Date> {
  return new Date((await call('GET', '/sandbox/clock'))['now']!);
}

async function makeAll(call: Call, count: number, begin: Date, seed: number): Promise<Made[]> {
  const planIds = new Map<string, string>();
  for (const interval of new Set(INTERVALS)) {
    const terms = { name: interval, amountCents: 9_900, interval, methods: ['pix'], daysAhead: 5 };
    planIds.set(interval, (await call('POST', '/plans', { accountId: 'acme', ...terms }))['id']!);
  }
  const made: Made[] = [];
  for (let index = 0; index < count; index++) {
    const random = randomOf(seed, index + 1);
    const customer = { accountId: 'acme', name: `Customer ${index}`, document: '52998224725', separate: true };
    const { id: customerId } = await call('POST', '/customers', customer);
    const interval = random.pick(INTERVALS);
    const startDay = dayOf(begin.getTime() + (1 + random.below(STARTS_WITHIN_DAYS)) * DAY_MS);
    const body = { accountId: 'acme', planId: planIds.get(interval), customerId, startDay };
    const { id } = await call('POST', '/subscriptions', body);
    const pays = random.pick(['at once', 'at once', 'at once', 'late', 'never'] as const);
    made.push({ id: id!, interval, startDay, pays });
  }
  return made;
}

/** Until a node says that it is then: a move whose node is killed is made again on another one. */
async function moveTo(call: Call, to: Date): Promise<void> {
  const limit = performance.now() + MOVE_LIMIT_MS;
  for (;;) {
    const moved = await call('POST', '/sandbox/clock', { to: to.toISOString() }).catch(() => undefined);
    if (moved) return;
    // It may have been done without an answer.
    const now = await clockOf(call).catch(() => undefined);
    if (now && now >= to) return;
    assert.ok(performance.now() < limit, `the clock does not reach ${to.toISOString()}`);
    await wait(AGAIN_MS);
  }
}

/** Each open cycle is paid once, by those whose turn it is. */
async function payAll(call: Call, db: Database, made: readonly Made[], paid: Map<string, string>): Promise<void> {
  const rows = await db.query<{ subscription_id: string; charge_id: string; status: string }>(
    `select subscription_id, charge_id, status from subscription_cycles
      where status in ('open', 'past_due') and charge_id is not null
        and charge_id in (select id from charges where state in ('ACTIVE', 'OVERDUE'))`,
  );
  const kinds = new Map(made.map(({ id, pays }) => [id, pays]));
  for (const row of rows) {
    const pays = kinds.get(row.subscription_id);
    if (pays === 'never' || (pays === 'late' && row.status === 'open')) continue;
    await call('POST', `/sandbox/charges/${row.charge_id}/pay`, { method: 'pix' });
    paid.set(row.charge_id, row.subscription_id);
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const MONTHS = { monthly: 1, quarterly: 3, yearly: 12 } as const;

/** The days of the cycles from the first one to a day, by a calendar that is not that of the service. */
function daysUntil({ interval, startDay }: Made, last: string): string[] {
  const [year, month, day] = startDay.split('-').map(Number) as [number, number, number];
  const days: string[] = [];
  for (let count = 0; ; count++) {
    const next =
      interval === 'weekly'
        ? Date.UTC(year, month - 1, day + 7 * count)
        : Date.UTC(
            year,
            month - 1 + MONTHS[interval] * count,
            Math.min(day, lastDayOf(year, month + MONTHS[interval] * count)),
          );
    if (dayOf(next) > last) return days;
    days.push(dayOf(next));
  }
}

function lastDayOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

const DAYS_AHEAD = 5;
const BRAZIL_MS = 3 * 3_600_000;

async function prove(
  db: Database,
  made: readonly Made[],
  paid: ReadonlyMap<string, string>,
  { kills, end }: { readonly kills: number; readonly end: Date },
): Promise<DrillResult> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const wrong = await differences(db);
  const last = dayOf(end.getTime() - BRAZIL_MS + DAYS_AHEAD * DAY_MS);
  const cycles = await db.query<{
    subscription_id: string;
    number: number;
    day: string;
    status: string;
    charges: number;
  }>(
    `select c.subscription_id, c.number, c.day::text, c.status, coalesce(h.count, 0)::int as charges
       from subscription_cycles c
       left join (select subscription_id, cycle_number, count(*) from charges group by 1, 2) h
         on h.subscription_id = c.subscription_id and h.cycle_number = c.number
      order by c.subscription_id, c.number`,
  );
  const of = Map.groupBy(cycles, cycle => cycle.subscription_id);
  for (const one of made) {
    const found = of.get(one.id) ?? [];
    const charged = found.filter(({ charges }) => charges > 0);
    const expected = daysUntil(one, last);
    for (const day of expected) if (!charged.some(cycle => cycle.day === day)) lost.push(`${one.id} on ${day}`);
    for (const cycle of charged) {
      const name = `${one.id} cycle ${cycle.number}`;
      if (cycle.charges > 1) doubled.push(name);
      if (!expected.includes(cycle.day)) wrong.push(`${name} on ${cycle.day}`);
    }
    if (found.some(({ number }, index) => number !== index + 1)) wrong.push(`${one.id} leaves a number out`);
  }
  const rows = await db.query<{ id: string; payments: number; status: string | null }>(
    `select h.id, coalesce(p.count, 0)::int as payments, c.status
       from charges h
       left join (select charge_id, count(*) from payments group by 1) p on p.charge_id = h.id
       left join subscription_cycles c on c.charge_id = h.id
      where h.subscription_id is not null`,
  );
  for (const { id, payments, status } of rows) {
    if (paid.has(id) && payments === 0) lost.push(`payment of ${id}`);
    if (payments > 1) doubled.push(`payment of ${id}`);
    if ((status === 'paid') !== paid.has(id)) wrong.push(`the cycle of charge ${id} is ${status}`);
  }
  wrong.push(...(await wrongEvents(db)));
  return { kills, charges: rows.length, payments: paid.size, lost, doubled, wrong };
}

/** One event for each charge and for each paid cycle, and no number of an event left out. */
async function wrongEvents(db: Database): Promise<string[]> {
  const rows = await db.query<{ text: string }>(
    `select s.id || ' has other events than cycles' as text
       from subscriptions s
       left join (select object_id, count(*), max(sequence) as last, count(*) filter (where type = 'subscription.charged') as charged,
                         count(*) filter (where type = 'subscription.paid') as paid
                    from events group by 1) e on e.object_id = s.id
       left join (select subscription_id, count(*) from charges group by 1) h on h.subscription_id = s.id
       left join (select subscription_id, count(*) filter (where status = 'paid') as paid
                    from subscription_cycles group by 1) c on c.subscription_id = s.id
      where (e.count, e.last, e.charged, e.paid)
            is distinct from (s.event_count, s.event_count, coalesce(h.count, 0), coalesce(c.paid, 0))`,
  );
  return rows.map(({ text }) => text);
}
