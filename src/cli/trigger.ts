// trilho trigger: makes an event happen for real in a running sandbox. Each has a recipe of ordinary requests. The clock is
// everybody's, so it is moved only where dates in the past cannot do the same.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { EVENT_TYPES } from '../http/event-types.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { DEFAULT_URL } from './listen.ts';

const USAGE = `trilho trigger <event> [--url ${DEFAULT_URL}], or trilho trigger --list`;
const ACCOUNT = 'trigger';
const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 200;
const MAX_LOOKS = 150;

type Api = {
  /** Business time, so many days from now. */
  day(offset: number): string;
  post(path: string, body?: unknown): Promise<{ readonly id: string }>;
  get(path: string): Promise<unknown>;
};

/** Does what brings the event about, and returns the id of the object it will tell of. */
type Recipe = (api: Api) => Promise<string>;

const RECIPES: Readonly<Record<string, Recipe>> = {
  'charge.created': api => charge(api),
  'charge.active': api => charge(api),
  // The bank of the sandbox refuses this amount.
  'charge.failed': api => charge(api, { amountCents: 9_001 }),
  'charge.overdue': api => charge(api, { dueAt: api.day(-1) }),
  'charge.paid': async api => paid(api, await charge(api)),
  'charge.paid_twice': async api => paid(api, await paid(api, await charge(api))),
  // Money cannot come before its charge, and settles on the next banking day: only time brings it.
  'charge.settled': async api => {
    const id = await paid(api, await charge(api), { method: 'boleto' });
    await api.post('/sandbox/clock', { advance: 'P5D' });
    return id;
  },
  'charge.expired': api => charge(api, { dueAt: api.day(-40), expireAt: api.day(-39) }),
  'charge.canceled': async api => {
    const id = await charge(api);
    await api.post(`/charges/${id}/cancel`);
    return id;
  },
  'charge.refunded': async api => {
    const id = await paid(api, await charge(api));
    await api.post(`/charges/${id}/refunds`, {});
    return id;
  },
};

/** Events that can be made to happen. */
export const TRIGGERS: readonly string[] = EVENT_TYPES.filter(type => RECIPES[type]);

async function charge(api: Api, changes: Record<string, unknown> = {}): Promise<string> {
  const { id } = await api.post('/charges', {
    accountId: ACCOUNT,
    amountCents: 15_990,
    currency: 'BRL',
    methods: ['boleto', 'pix'],
    customer: { name: 'Maria da Silva', document: '529.982.247-25' },
    dueAt: api.day(10),
    ...changes,
  });
  return id;
}

async function paid(api: Api, id: string, how: Record<string, unknown> = { method: 'pix' }): Promise<string> {
  await api.post(`/sandbox/charges/${id}/pay`, how);
  return id;
}

export async function triggerCommand(_config: Config, _log: Log, args: readonly string[]): Promise<number> {
  const { type, url, list } = readArguments(args);
  if (list) {
    console.log(TRIGGERS.join('\n'));
    return 0;
  }
  console.log(await trigger(url, type));
  return 0;
}

/** Makes an event of `TRIGGERS` happen, and returns it as JSON. */
export async function trigger(url: string, type: string): Promise<string> {
  const api = await openApi(url);
  return eventOf(api, type, await RECIPES[type]!(api));
}

function readArguments(args: readonly string[]): { type: string; url: string; list: boolean } {
  try {
    const options = { url: { type: 'string' }, list: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { url = DEFAULT_URL, list = false } = values;
    const [type = '', ...rest] = positionals;
    if (URL.canParse(url) && rest.length === 0 && (list ? type === '' : TRIGGERS.includes(type))) {
      return { type, url: url.replace(/\/+$/, ''), list };
    }
  } catch {
    // An option that nobody knows; what follows says which there are.
  }
  throw new StartError(`Usage: ${USAGE}`);
}

async function openApi(url: string): Promise<Api> {
  async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await fetch(url + path, init).catch(() => {
      throw new StartError(`No service answers at ${url}.`);
    });
    const answer = (await response.json().catch(() => ({}))) as { detail?: string };
    if (response.ok) return answer;
    throw new StartError(`${path} answered ${response.status}: ${answer.detail ?? 'no reason given'}`);
  }
  const { now } = (await ask('/sandbox/clock')) as { now: string };
  return {
    day: offset => new Date(Date.parse(now) + offset * DAY_MS).toISOString(),
    get: path => ask(path),
    post: async (path, body) => {
      const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      return (await ask(path, { method: 'POST', ...(body !== undefined && json) })) as { id: string };
    },
  };
}

async function eventOf(api: Api, type: string, objectId: string): Promise<string> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const { events } = (await api.get(`/events?objectId=${objectId}&type=${type}`)) as { events: object[] };
    if (events[0]) return JSON.stringify(events[0], null, 2);
    await wait(LOOK_EVERY_MS);
  }
  throw new StartError(`${type} did not happen to ${objectId}.`);
}
