// A charge's whole way in the sandbox, with workers on: created, registered, paid, and the event of its payment there to be
// read. Where the service has webhooks, on to a receiver on this machine.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { chargeBody } from '../bodies.ts';
import { ms, percentile, perSecond } from '../figures.ts';
import { type Line, openLine, post } from '../load.ts';
import { runTrilho } from '../running.ts';
import { emptyDatabase } from '../seed.ts';
import { withClient } from '../stage.ts';
import type { Needs } from './part.ts';

const DATABASE = 'way';
const PAYERS = 16;
const LOOK_EVERY_MS = 5;
const ONE_WAY_LIMIT_MS = 60_000;
const PAID = 'charge.paid';

type Arrivals = {
  /** Resolves when the event of the charge is there. */
  until(chargeId: string, type: string): Promise<void>;
  stop(): Promise<void>;
};

export async function measureWay(needs: Needs): Promise<void> {
  const { stage, report, options } = needs;
  await emptyDatabase(stage, DATABASE);
  const service = await runTrilho(stage, DATABASE);
  try {
    await withClient(stage.url(DATABASE), async client => {
      const written = watchEvents(client);
      const taken = await walk(service.url, written, undefined, options.ways);
      await written.stop();
      addWay(needs, 'created, registered, paid, its event written', taken);

      const delivered = await receiveWebhooks(service.url);
      if (typeof delivered === 'string') return report.note(delivered);
      const again = watchEvents(client);
      try {
        const carried = await walk(service.url, again, delivered, options.ways);
        addWay(needs, 'created, registered, paid, its event delivered', carried);
      } finally {
        await again.stop();
        await delivered.stop();
      }
    });
  } finally {
    await service.stop();
  }
  await stage.drop(DATABASE);
}

type Walked = { readonly rate: number; readonly whole: readonly number[]; readonly registered: readonly number[] };

function addWay({ report }: Needs, what: string, { rate, whole, registered }: Walked): void {
  report.add({
    part: 'way',
    what: `${what}, ${PAYERS} payers`,
    figure: `${perSecond(rate)}, p50 ${ms(percentile(whole, 0.5))}, p99 ${ms(percentile(whole, 0.99))}`,
    beside: `p50 ${ms(percentile(registered, 0.5))}, p99 ${ms(percentile(registered, 0.99))} until registered`,
  });
}

async function walk(url: string, written: Arrivals, delivered: Arrivals | undefined, count: number): Promise<Walked> {
  const { hostname, port } = new URL(url);
  const [whole, registered]: [number[], number[]] = [[], []];
  let begun = 0;
  const startedAt = performance.now();
  const payers = Array.from({ length: PAYERS }, async () => {
    const line = await openLine(hostname, Number(port));
    while (begun < count) {
      begun++;
      const createdAt = performance.now();
      const { id } = await ask(line, '/charges', chargeBody());
      await written.until(id, 'charge.active');
      registered.push(performance.now() - createdAt);
      await ask(line, `/sandbox/charges/${id}/pay`, { method: 'pix' });
      await (delivered ?? written).until(id, PAID);
      whole.push(performance.now() - createdAt);
    }
    line.close();
  });
  await Promise.all(payers);
  const took = (performance.now() - startedAt) / 1000;
  for (const values of [whole, registered]) values.sort((a, b) => a - b);
  return { rate: whole.length / took, whole, registered };
}

async function ask(line: Line, target: string, body: object): Promise<{ id: string }> {
  const { status, body: text } = await line.ask(post(target, JSON.stringify(body)));
  if (status !== 200 && status !== 201) throw new Error(`POST ${target} was answered with ${status}: ${text()}`);
  return JSON.parse(text());
}

/** Those who wait for an event, and who is told when it is there. */
function waitingRoom() {
  const waiting = new Map<string, () => void>();
  const seen = new Set<string>();
  return {
    waiting,
    arrived: (chargeId: string, type: string) => {
      const key = `${chargeId} ${type}`;
      seen.add(key);
      waiting.get(key)?.();
      waiting.delete(key);
    },
    until: async (chargeId: string, type: string) => {
      const key = `${chargeId} ${type}`;
      if (seen.has(key)) return;
      const limit = AbortSignal.timeout(ONE_WAY_LIMIT_MS);
      await new Promise<void>((resolve, reject) => {
        waiting.set(key, resolve);
        limit.addEventListener('abort', () => reject(new Error(`${type} of ${chargeId} never came`)));
      });
    },
  };
}

/** One look at the log for all who wait: asking for each over HTTP would be a load of its own. */
function watchEvents(client: pg.Client): Arrivals {
  const room = waitingRoom();
  let stopped = false;
  const looking = (async () => {
    while (!stopped) {
      const ids = [...new Set([...room.waiting.keys()].map(key => key.split(' ')[0]))];
      if (ids.length > 0) {
        const { rows } = await client.query<{ object_id: string; type: string }>({
          name: 'look',
          text: 'select object_id, type from events where object_id = any($1::uuid[])',
          values: [ids],
        });
        for (const { object_id, type } of rows) room.arrived(object_id, type);
      }
      await wait(LOOK_EVERY_MS);
    }
  })();
  return {
    until: room.until,
    stop: async () => {
      stopped = true;
      await looking;
    },
  };
}

/** What is delivered: an event and, in it, the charge as it was then. */
type Message = { readonly type: string; readonly data: { readonly object?: { readonly id?: string } } };

/** A receiver for every event, or why there is none. */
async function receiveWebhooks(url: string): Promise<Arrivals | string> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, { post?: object }> };
  if (!paths['/webhooks']?.post) return 'This version has no POST /webhooks: the way ends with the event written.';
  const room = waitingRoom();
  const receiver = await listenTo(text => {
    const { type, data } = JSON.parse(text) as Message;
    if (data.object?.id !== undefined) room.arrived(data.object.id, type);
  });
  const { port } = receiver.address() as AddressInfo;
  const made = await fetch(`${url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/` }),
  });
  const stop = async () => {
    receiver.closeAllConnections();
    receiver.close();
  };
  if (made.ok) return { until: room.until, stop };
  await stop();
  return `POST /webhooks was answered with ${made.status}, so the way ends with the event written: ${await made.text()}`;
}

async function listenTo(take: (text: string) => void): Promise<Server> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    response.writeHead(204).end();
    take(Buffer.concat(pieces).toString('utf8'));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}
