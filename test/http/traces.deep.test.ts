// Traces: one id from the request that creates an order, through jobs, the bank and the chain, to the webhook that is notified; and
// nothing at all if no collector is set.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { type CollectedSpan, type Collector, startCollector } from '../harness/collector.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import {
  ASK_AGAIN_MS,
  askDatabase,
  embeddedConnection,
  folderWithDatabase,
  freePort,
  PROJECT,
  startTrilho,
  until,
} from '../harness/process.ts';
import { railSettings, startServiceAtPsp } from '../harness/psp.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`;
const SERVER = 2;
const CLIENT = 3;
const CONSUMER = 5;

const namesOf = (spans: readonly CollectedSpan[]) => new Set(spans.map(({ name }) => name));

/** All spans of a trace are connected: each parent is there, or is the caller's. */
function assertWhole(spans: readonly CollectedSpan[], callerSpan: string): void {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  for (const { name, parentSpanId } of spans) {
    assert.ok(parentSpanId === callerSpan || ids.has(parentSpanId!), `${name} has a parent in the trace`);
  }
}

/** Ids of ours, names of settings, codes and counts. */
const ATTRIBUTES: ReadonlySet<string> = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'error.type',
  'messaging.system',
  'messaging.operation.name',
  'messaging.operation.type',
  'messaging.destination.name',
  'messaging.message.id',
  'trilho.charge.id',
  'trilho.order.id',
  'trilho.payout.id',
  'trilho.notification.id',
  'trilho.job.attempt',
  'trilho.rail',
  'trilho.method',
  'trilho.network',
  'trilho.outcome',
  'trilho.webhook.id',
  'trilho.delivery.id',
  'trilho.delivery.attempt',
  'trilho.event.id',
  'trilho.event.type',
]);

/** Nothing that names a person, a wallet, a key or an amount. */
function assertDiscreet({ spans, texts }: Collector, ...secrets: string[]): void {
  const unknown = spans.flatMap(({ attributes }) => Object.keys(attributes)).filter(name => !ATTRIBUTES.has(name));
  assert.deepEqual(unknown, []);
  for (const secret of ['Maria', '529.982.247-25', '52998224725', '0x52908400', ...secrets]) {
    assert.ok(!texts.join().includes(secret), `${secret} is in no span`);
  }
}

test('live: an order is one trace from its request over bank and chain to the webhook, across restarts', async t => {
  const collector = await startCollector(t);
  const receiver = await startReceiver(t);
  let clock: Service['clock'] | undefined;
  const start = '2026-11-16T12:00:00.000Z';
  const psp = await startTestPsp({ webhooks: { retryMs: [] }, clock: { now: () => clock?.now() ?? new Date(start) } });
  t.after(() => psp.stop());
  const env = {
    TRILHO_RAILS: JSON.stringify([railSettings(psp, { webhook: undefined } as never)]),
    TRILHO_WEBHOOK_ALLOW: '127.0.0.1',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20secret',
    OTEL_SERVICE_NAME: 'trilho-test',
  };
  const first = await startService({ mode: 'live', env, now: start });
  t.after(() => first.stop());
  clock = first.clock;
  const db = openDatabase({ connection: { connectionString: first.databaseUrl }, log: silentLog, maxConnections: 4 });
  t.after(() => db.close());
  const { text: key } = await first.makeKey('acme');
  const bearer = { authorization: `Bearer ${key}` };
  /** Each step runs on a service that has just started and has only the database. */
  const onNewNode = async <T>(act: (node: Service) => Promise<T>, work = false): Promise<T> => {
    const { log, lines } = recordingLog();
    const node = await startService({
      beside: first,
      mode: 'live',
      env,
      log,
      work,
      chains: sandboxChains({ clock: first.clock, store: sandboxChainStore(db) }),
      prices: tablePrices({ reais: { usdt: '5.41' }, rates: {} }),
    });
    try {
      return await act({
        ...node,
        get: (place, headers = {}) => node.get(place, { ...bearer, ...headers }),
        post: (place, body, headers = {}) => node.post(place, body, { ...bearer, ...headers }),
      });
    } finally {
      await node.stop();
      logged.push(...lines);
    }
  };
  const logged: string[] = [];

  const order = await onNewNode(async node => {
    const hook = await node.post('/webhooks', { url: receiver.url });
    assert.equal(hook.status, 201, hook.text);
    const made = await orderDriver(node).order({ headers: { traceparent: CALLER } });
    assert.equal(made.status, 201, made.text);
    return made;
  });
  await onNewNode(node => node.runJobs());
  const { pix } = await onNewNode(async node => (await node.get(`/charges/${order.json.charge.id}`)).json);
  await psp.pay({ emv: pix.emv });
  first.clock.advanceMs(61_000);
  await onNewNode(node => node.runJobs());
  const isNotified = () => receiver.received.some(({ json }) => json.type === 'crypto_transaction.fulfilled');
  await onNewNode(
    () =>
      until(
        'the order to be fulfilled, and the webhook to be notified',
        () => {
          first.clock.advanceMs(5_000);
          return isNotified();
        },
        ASK_AGAIN_MS,
      ),
    true,
  );

  assert.deepEqual(collector.faults, []);
  const spans = collector.spans.filter(({ traceId }) => traceId === TRACE);
  assertWhole(spans, '00f067aa0ba902b7');
  const names = namesOf(spans);
  for (const name of [
    'POST /crypto/transactions',
    'rail submit',
    'process order.follow',
    'chain sign',
    'chain broadcast',
    'chain lookup',
    'POST webhook',
  ]) {
    assert.ok(names.has(name), `${name} is in the trace of the order, with ${[...names].join(', ')}`);
  }
  const [request] = spans.filter(({ kind }) => kind === SERVER);
  assert.deepEqual(request?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/crypto/transactions',
    'http.response.status_code': 201,
  });
  assert.deepEqual(
    ['service.name', 'deployment.environment.name'].map(name => request?.resource[name]),
    ['trilho-test', 'live'],
  );
  const types = spans
    .filter(({ name }) => name === 'POST webhook')
    .map(({ attributes }) => attributes['trilho.event.type']);
  for (const type of ['charge.created', 'charge.paid', 'crypto_transaction.fulfilled']) {
    assert.ok(types.includes(type), `${type} is among ${types.join(', ')}`);
  }
  const received = receiver.received.find(({ json }) => json.type === 'charge.paid');
  const sent = spans.find(
    ({ attributes, name }) => name === 'POST webhook' && attributes['trilho.event.type'] === 'charge.paid',
  );
  assert.equal(received?.headers['traceparent'], `00-${TRACE}-${sent?.spanId}-01`);
  assert.equal(sent?.kind, CLIENT);
  assert.ok(spans.every(({ name, kind }) => !name.startsWith('process ') || kind === CONSUMER));
  assert.ok(collector.headers.every(headers => headers['api-key'] === 'a secret'));
  assertDiscreet(collector, key, pix.emv, pix.txid);
  assert.ok(
    logged.some(line => line.includes('"route":"/crypto/transactions"') && line.includes(`"trace_id":"${TRACE}"`)),
    'the line of the request names its trace',
  );
});

test('sandbox: the trace goes on after the process was killed', async t => {
  const collector = await startCollector(t);
  const receiver = await startReceiver(t);
  const folder = await folderWithDatabase(t);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRILHO_DEMO: 'off' };
  const before = await startTrilho({ folder, env });
  const hook = await before.post('/webhooks', { url: receiver.url });
  assert.equal(hook.status, 201, hook.text);
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const wallet = await before.post('/wallets', { accountId: 'acme', name: 'Treasury', network: 'polygon', address });
  const order = await before.post(
    '/crypto/transactions',
    {
      accountId: 'acme',
      walletId: wallet.json.id,
      symbol: 'usdt',
      network: 'polygon',
      currency: 'BRL',
      cost: 541,
      settlementSchedule: 'D0',
      charge: CHARGE_PART,
    },
    { traceparent: CALLER },
  );
  assert.equal(order.status, 201, order.text);
  await before.end('SIGKILL');

  const after = await startTrilho({ folder, env });
  const paid = await after.post(`/sandbox/charges/${order.json.charge.id}/pay`, { method: 'pix' });
  assert.equal(paid.status, 200, paid.text);
  await until(
    'the webhook to be notified that the order is fulfilled',
    async () => {
      await after.post('/sandbox/clock', { advance: 'PT30S' });
      return receiver.received.some(({ json }) => json.type === 'crypto_transaction.fulfilled');
    },
    ASK_AGAIN_MS,
  );
  // Waiting spans are sent before the process ends.
  assert.equal((await after.end()).code, 0);
  assert.deepEqual(collector.faults, []);
  const names = namesOf(collector.spans.filter(({ traceId }) => traceId === TRACE));
  for (const name of ['process order.follow', 'chain broadcast', 'chain lookup', 'POST webhook']) {
    assert.ok(names.has(name), `${name} is in the trace, with ${[...names].join(', ')}`);
  }
  for (const { headers } of receiver.received) assert.ok(String(headers['traceparent']).startsWith(`00-${TRACE}-`));
  assertDiscreet(collector);
});

test('a notification of a bank begins its own trace, with the lookup that it causes', async t => {
  const collector = await startCollector(t);
  const at = await startServiceAtPsp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await at.stop();
    isStopped = true;
  };
  t.after(stop);
  await at.registerWebhook();
  const made = await Promise.all(
    [1, 2].map(() => at.service.post('/charges', chargeBody({ methods: ['pix'], customer: CHARGE_PART.customer }))),
  );
  for (const { json } of made) await at.psp.pay({ emv: json.pix.emv });
  await at.psp.settled();
  await at.service.runJobs();
  for (const { json } of made) assert.equal((await at.service.get(`/charges/${json.id}`)).json.state, 'PAID');
  await stop();
  assert.deepEqual(collector.faults, []);
  const traces = [...Map.groupBy(collector.spans, ({ traceId }) => traceId).values()];
  const notified = traces.filter(spans => namesOf(spans).has('POST /:token'));
  assert.equal(notified.length, 2);
  for (const spans of notified) {
    const names = spans.map(({ name }) => name);
    assert.deepEqual(new Set(names), new Set(['POST /:token', 'process charge.notified', 'rail receipt']));
    const [request] = spans.filter(({ kind }) => kind === SERVER);
    assertWhole(
      spans.filter(span => span !== request),
      request!.spanId,
    );
  }
  assertDiscreet(collector, at.webhookUrl.split('/').at(-1)!);
});

/** A sandbox whose jobs run on demand. */
async function startTraced(t: TestContext, collector: Pick<Collector, 'url'>, env: Record<string, string> = {}) {
  const { log, lines } = recordingLog();
  const service = await startService({ log, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env } });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await service.stop();
    isStopped = true;
  };
  t.after(stop);
  return { ...service, stop, lines };
}

test('charges that are written together keep their own traces', async t => {
  const collector = await startCollector(t);
  const service = await startTraced(t, collector);
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.post('/charges', chargeBody())));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  await service.runJobs();
  await service.stop();
  assert.deepEqual(collector.faults, []);
  const traces = Map.groupBy(collector.spans, ({ traceId }) => traceId);
  const charges = [...traces.values()].filter(spans => namesOf(spans).has('POST /charges'));
  assert.equal(charges.length, 5);
  for (const spans of charges) {
    const [request] = spans.filter(({ kind }) => kind === SERVER);
    assert.equal(request?.parentSpanId, undefined, 'without traceparent a request begins a trace');
    assertWhole(
      spans.filter(span => span !== request),
      request!.spanId,
    );
    const [job] = spans.filter(({ name }) => name === 'process charge.issue');
    assert.equal(job?.parentSpanId, request?.spanId);
    const id = job?.attributes['trilho.charge.id'];
    assert.ok(answers.some(({ json }) => json.id === id));
    const calls = spans.filter(({ name }) => name === 'rail submit');
    assert.deepEqual(new Set(calls.map(({ parentSpanId }) => parentSpanId)), new Set([job?.spanId]));
  }
});

test('a job belongs to the request that enqueued it, and is linked to the trace of its charge', async t => {
  const collector = await startCollector(t);
  const service = await startTraced(t, collector);
  const { json: charge } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
  await service.runJobs();
  const canceled = await service.post(`/charges/${charge.id}/cancel`, {}, { traceparent: CALLER });
  assert.ok(canceled.status < 300, canceled.text);
  await service.runJobs();
  await service.stop();
  const made = collector.spans.find(({ name }) => name === 'POST /charges');
  const [job] = collector.spans.filter(({ name }) => name === 'process charge.retire');
  assert.equal(job?.traceId, TRACE);
  assert.deepEqual(
    job?.links?.map(({ traceId }) => traceId),
    [made?.traceId],
  );
  assert.ok(collector.spans.some(({ name, traceId }) => name === 'rail cancel' && traceId === TRACE));
});

test('spans name the route and no input of the caller; a request that is refused early has no span', async t => {
  const collector = await startCollector(t);
  const service = await startTraced(t, collector);
  const { json: made } = await service.post('/charges', chargeBody());
  const { json: charge } = await service.get(`/charges/${made.id}`);
  const { pathname } = new URL(charge.checkoutUrl);
  assert.equal((await fetch(service.url + pathname, { headers: { traceparent: CALLER } })).status, 200);
  assert.equal((await fetch(`${service.url}/nowhere/at-all`)).status, 404);
  for (const watched of ['/livez', '/readyz', '/metrics']) await (await fetch(service.url + watched)).text();
  await service.stop();
  const routes = collector.spans.map(({ attributes }) => attributes['http.route']);
  assert.ok(routes.includes('/charges/:id'), routes.join());
  assert.ok(!collector.texts.join().includes(pathname.split('/').at(-1)!), 'no token of a page');
  assert.deepEqual(
    collector.spans.filter(({ name }) => /livez|readyz|metrics|unknown|pay/.test(name)),
    [],
    'anybody can open a page any number of times',
  );
});

test('an act of the dashboard and its call of the API are one trace', async t => {
  const collector = await startCollector(t);
  const service = await startTraced(t, collector);
  const { json: made } = await service.post('/charges', chargeBody());
  const acted = await fetch(`${service.url}/dashboard/charges/${made.id}/cancel`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ once: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d88' }),
    redirect: 'manual',
  });
  assert.equal(acted.status, 303, await acted.text());
  await service.stop();
  const spanOf = (route: string) => collector.spans.find(({ name }) => name === `POST ${route}`);
  const [act, call] = [spanOf('/dashboard/charges/:id/cancel'), spanOf('/charges/:id/cancel')];
  assert.ok(act && call);
  assert.equal(call.traceId, act.traceId);
});

test('for traces that the sampler drops nothing is sent, stored or propagated', async t => {
  const collector = await startCollector(t);
  const receiver = await startReceiver(t);
  const service = await startTraced(t, collector);
  await service.post('/webhooks', { url: receiver.url });
  const unsampled = CALLER.replace(/1$/, '0');
  assert.equal((await service.post('/charges', chargeBody(), { traceparent: unsampled })).status, 201);
  await service.runJobs();
  assert.deepEqual(await service.sql('select from object_traces'), []);
  assert.equal(receiver.received[0]?.headers['traceparent'], undefined);
  await service.stop();
  assert.ok(!collector.texts.join().includes(TRACE));
});

test('the trace of an object is pruned in time', async t => {
  const service = await startTraced(t, await startCollector(t), { TRILHO_KEEP_TRACES: 'P8D' });
  await service.post('/charges', chargeBody());
  service.clock.advanceMs(7 * 86_400_000);
  const { json: later } = await service.post('/charges', chargeBody({ dueAt: '2026-12-20T12:00:00Z' }));
  service.clock.advanceMs(2 * 86_400_000);
  await service.prune();
  assert.deepEqual(await service.sql('select object_id from object_traces'), [{ object_id: later.id }]);
});

test('a collector that is unavailable or refuses costs only spans, and is logged once', async t => {
  const port = await freePort();
  const service = await startTraced(t, { url: `http://127.0.0.1:${port}` });
  const receiver = await startReceiver(t);
  await service.post('/webhooks', { url: receiver.url });
  const { json: charge } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
  await service.runJobs();
  assert.equal((await service.get(`/charges/${charge.id}`)).json.state, 'ACTIVE');
  assert.ok(receiver.received.length > 0);
  const collector = await startCollector(t, port);
  collector.behave(400);
  const warnings = () => service.lines.filter(line => line.includes('the collector does not accept traces'));
  await until('a batch to be refused', () => warnings().length > 0);
  await service.get(`/charges/${charge.id}`);
  const refused = collector.texts.length;
  await until('another batch to be refused', () => collector.texts.length > refused);
  assert.equal(warnings().length, 1);
  collector.behave(200);
  await service.get(`/charges/${charge.id}`);
  await until('a batch to be accepted', () => collector.spans.length > 0);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(metrics, /^trilho_trace_spans_total\{outcome="sent"\} [1-9]/m);
  assert.match(metrics, /^trilho_trace_spans_total\{outcome="failed"\} [1-9]/m);
  assert.match(metrics, /^trilho_trace_spans_total\{outcome="dropped"\} 0$/m);
});

test('without a collector no package is loaded, nothing is stored and nothing is propagated', async t => {
  const folder = await folderWithDatabase(t);
  const receiver = await startReceiver(t);
  const notes = path.join(folder, 'modules');
  const noting = path.join(PROJECT, 'test/harness/note-modules.ts');
  const env = { NODE_OPTIONS: `--import=${noting}`, NOTE_MODULES_TO: notes, TRILHO_DEMO: 'off' };
  const service = await startTrilho({ folder, env });
  await service.post('/webhooks', { url: receiver.url });
  await service.post('/charges', chargeBody(), { traceparent: CALLER });
  await until('the webhook to be notified', () => receiver.received.length > 0);
  assert.equal(receiver.received[0]?.headers['traceparent'], undefined);
  const rows = await askDatabase(
    embeddedConnection(service.dataPlace),
    `select (select count(*)::int from object_traces) as traces,
            (select count(*)::int from pgboss.job where data ? 'traceparent') as jobs`,
  );
  assert.deepEqual(rows, [{ traces: 0, jobs: 0 }]);
  await service.end();
  // The metrics load the interface, which sends nothing.
  const loaded = (await readFile(notes, 'utf8')).split('\n');
  assert.ok(
    loaded.some(url => url.includes('/fastify/')),
    'packages are listed',
  );
  assert.deepEqual(
    loaded.filter(url => /@opentelemetry\/(?!api\/)/.test(url)),
    [],
  );
});
