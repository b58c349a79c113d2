// /metrics: what an operator watches, as docs/metrics.md describes it, also while the database does not answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, STATUS_CODES } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { CHAIN_OPERATIONS, CHAIN_OUTCOMES } from '../../src/chains/observed.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { OUTAGES } from '../../src/lib/errors.ts';
import { ERROR } from '../../src/lib/timed.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { RAIL_OPERATIONS, RAIL_OUTCOMES } from '../../src/rails/observed.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { chargeBody } from '../harness/bodies.ts';
import { startCutWire } from '../harness/cut-wire.ts';
import { recordingLog } from '../harness/log.ts';
import { orderDriver } from '../harness/orders.ts';
import { until } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';

const { log, lines } = recordingLog();
/** A rail with locations, so that their metrics are shown, too. */
const locations = {
  keep: 1,
  kinds: ['cob'],
  kindOf: () => 'cob',
  take: async () => ({ id: '1', url: 'pix.example.com/qr/1' }),
};
let service: Service;
before(async () => {
  const certificateEnd = () => new Date('2031-02-03T04:05:06Z');
  const pix = { ...sandboxRails.pix, locations, certificateEnd };
  const agreements = liveRails({ rails: [], boletos: [agreementEntry('756')] }, { clock: systemClock, log });
  service = await startService({ log, rails: { ...sandboxRails, pix, former: [agreements.rails.boleto] } });
});
after(() => service.stop());

type Sample = { readonly name: string; readonly labels: Record<string, string>; readonly value: number };

async function scrape(from: Service = service, headers = {}) {
  const { status, text, headers: sent } = await from.get('/metrics', headers);
  assert.equal(status, 200, text);
  assert.match(sent.get('content-type')!, /^text\/plain/);
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) => [name!, type!]));
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]): Sample => {
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, word]) => [label!, word!]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    },
  );
  const read = (name: string, labels: Record<string, string> = {}) =>
    samples.find(
      sample =>
        sample.name === name &&
        Object.keys(sample.labels).length === Object.keys(labels).length &&
        Object.entries(labels).every(([key, word]) => sample.labels[key] === word),
    )?.value;
  return { types, samples, read };
}

/** The rows of the page: name, type, labels. */
function documented(): { name: string; type: string; labels: string[] }[] {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
  return page
    .split('\n')
    .filter(line => line.startsWith('| `'))
    .map(line => {
      const [, name = '', type = '', labels = ''] = line.split('|').map(cell => cell.trim());
      return {
        name: name.replaceAll('`', ''),
        type: type.replace(', shared', ''),
        labels: [...labels.matchAll(/`(\w+)`/g)].map(match => match[1]!),
      };
    });
}

test('every metric that this test names is in the rules or on the dashboard of deploy/', () => {
  const text = ['alerts.yml', 'grafana-dashboard.json']
    .map(file => readFileSync(path.join(import.meta.dirname, '../../deploy', file), 'utf8'))
    .join('\n');
  assert.deepEqual(
    documented().filter(({ name }) => !new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\b`).test(text)),
    [],
  );
});

/** Possible values of a label of which a scrape does not show all. */
function valuesOf(label: string, name: string): readonly string[] {
  const outcomes: Readonly<Record<string, readonly string[]>> = {
    trilho_rail_call_duration_seconds: [...RAIL_OUTCOMES, ...OUTAGES, ERROR],
    trilho_chain_call_duration_seconds: [...CHAIN_OUTCOMES, ...OUTAGES, ERROR],
  };
  const known: Readonly<Record<string, () => readonly string[]>> = {
    status: () => Object.keys(STATUS_CODES),
    method: () => service.routes.map(({ method }) => method),
    route: () => service.routes.map(({ url }) => url),
    outcome: () => outcomes[name] ?? [],
    loop: loopNames,
  };
  return known[label]?.() ?? [];
}

/** Of all loops in the code: a service runs only those that it needs. */
function loopNames(): string[] {
  const folder = path.join(import.meta.dirname, '../../src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  const text = files.map(file => readFileSync(path.join(folder, file), 'utf8')).join('\n');
  return [...text.matchAll(/startLoop\(\{\s*name: (['"`])(.*?)\1/g)].map(([, , name = '']) => name);
}

test('the rules and the dashboard of deploy/ use only existing metrics, labels and values', async () => {
  const { types, samples } = await scrape();
  const labels = new Map(documented().map(metric => [metric.name, metric.labels]));
  const metricOf = (written: string) => (types.has(written) ? written : written.replace(/_(bucket|sum|count)$/, ''));
  for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
    const text = readFileSync(path.join(import.meta.dirname, '../../deploy', file), 'utf8').replaceAll('\\"', '"');
    const used = [...text.matchAll(/\b((?:trilho|process|nodejs)_\w+)(?:\{(.*?)\})?/g)];
    assert.ok(used.length > 15, file);
    for (const [, written = '', selector] of used) {
      const name = metricOf(written);
      assert.ok(types.has(name), `${file}: ${written}`);
      for (const part of selector?.split(/,\s*/) ?? []) {
        const where = `${file}: ${written}{${part}}`;
        const [, label = '', operator = '', value = ''] = /^(\w+)(=~|!~|!=|=)"([^"]*)"$/.exec(part) ?? [];
        assert.ok(labels.get(name)?.includes(label), where);
        const seen = samples.filter(sample => metricOf(sample.name) === name).map(sample => sample.labels[label] ?? '');
        const values = [...valuesOf(label, name), ...seen];
        const isThere = operator.endsWith('~')
          ? value.split('|').every(each => values.some(one => new RegExp(`^(?:${each})$`).test(one)))
          : values.includes(value);
        assert.ok(isThere, `${where}: there is no such ${label}`);
      }
    }
    for (const [, by = '', rest = ''] of text.matchAll(/\bby \(([\w, ]+)\) \(([^"]*?\btrilho_\w+)/g)) {
      const [name = ''] = /trilho_\w+$/.exec(rest) ?? [];
      for (const label of by.split(', '))
        assert.ok(label === 'le' || labels.get(metricOf(name))?.includes(label), `${file}: ${name} by ${label}`);
    }
  }
});

test('docs/metrics.md names every operation and outcome of calls to banks and chains', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/metrics.md'), 'utf8');
  const namesIn = (text: string | undefined) => [...(text ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const operations = (metric: string) =>
    namesIn(new RegExp(`^\\| \`${metric}\` .* \`operation\`: (.*) \\|$`, 'm').exec(page)?.[1]);
  assert.deepEqual(operations('trilho_rail_call_duration_seconds'), RAIL_OPERATIONS);
  assert.deepEqual(operations('trilho_chain_call_duration_seconds'), CHAIN_OPERATIONS);
  const [, rails, chains] =
    /`outcome` is what came of the call: ([^;]*) of a rail; ([^;]*) of a chain;/.exec(page) ?? [];
  assert.deepEqual(namesIn(rails), RAIL_OUTCOMES);
  assert.deepEqual(namesIn(chains), CHAIN_OUTCOMES);
});

test('requests are counted and timed by route pattern', async () => {
  await service.post('/charges', chargeBody({ methods: ['pix'] }));
  await service.get('/crypto/transactions?page=0');
  const { read } = await scrape();
  const made = { method: 'POST', route: '/charges' };
  assert.equal(read('trilho_http_requests_total', { ...made, status: '201' }), 1);
  assert.equal(read('trilho_http_requests_total', { method: 'GET', route: '/crypto/transactions', status: '400' }), 1);
  assert.equal(read('trilho_http_request_duration_seconds_count', made), 1);
  assert.equal(read('trilho_http_request_duration_seconds_bucket', { ...made, le: '+Inf' }), 1);
  assert.equal(read('trilho_charge_batch_size_count'), 1);
});

test('a due job is counted, with the time it has waited', async t => {
  await service.sql(`update pgboss.job set start_after = now() - interval '90 seconds' where name = 'charge.issue'`);
  const { read } = await scrape();
  const age = read('trilho_jobs_oldest_ready_seconds', { queue: 'charge.issue' })!;
  assert.ok(age >= 90 && age < 600, String(age));
  assert.equal(read('trilho_jobs_oldest_ready_seconds', { queue: 'payout.advance.polygon' }), 0);
  // Jobs are counted twice a minute by one node, and by one that starts when that was long ago.
  await service.sql('update pgboss.queue set monitor_claim_on = null, monitor_on = null');
  const node = await startService({ beside: service });
  t.after(() => node.stop());
  await until('the jobs to be counted', async () => {
    const { read: later } = await scrape();
    return later('trilho_jobs', { queue: 'charge.issue', state: 'ready' }) === 1;
  });
});

test('calls to rails and chains, deliveries, payouts and held orders are there', async t => {
  const receiver = await startReceiver(t, 500);
  const hook = await service.post('/webhooks', { url: receiver.url, accountId: 'acme' });
  assert.equal(hook.status, 201, hook.text);
  const orders = orderDriver(service);
  const order = await orders.order();
  await orders.pay(order);
  await service.runJobs();
  const { read } = await scrape();
  const submitted = { rail: 'sandbox', method: 'pix', operation: 'submit', outcome: 'registered' };
  assert.ok(read('trilho_rail_call_duration_seconds_count', submitted)! >= 1);
  for (const call of [
    { operation: 'sign', outcome: 'signed' },
    { operation: 'check', outcome: 'ready' },
    { operation: 'broadcast', outcome: 'sent' },
  ]) {
    assert.equal(read('trilho_chain_call_duration_seconds_count', { network: 'polygon', ...call }), 1, call.operation);
  }
  assert.equal(read('trilho_payouts', { network: 'polygon', state: 'open' }), 1);
  assert.equal(read('trilho_payouts', { network: 'tron', state: 'open' }), 0);
  assert.ok(read('trilho_webhook_deliveries_pending')! >= 2);
  assert.equal(read('trilho_webhooks_failing'), 1);
  assert.equal(read('trilho_webhook_delivery_lag_seconds'), 0);
  assert.equal(read('trilho_events_waiting'), 0);
  assert.ok(read('trilho_webhook_attempt_duration_seconds_count', { outcome: 'failed' })! >= 1);
  assert.equal(read('trilho_orders_held', { reason: 'underpaid' }), 0);

  const tooLittle = await orders.order();
  await orders.pay(tooLittle, { amountCents: 100 });
  service.clock.advanceMs(600_000);
  const later = (await scrape()).read;
  assert.ok(later('trilho_events_waiting')! > 0, 'nothing has run since');
  // The first retry is due within six seconds; no worker runs, so it is not made.
  assert.ok(later('trilho_webhook_delivery_lag_seconds')! >= 590);
  assert.equal(later('trilho_payouts_oldest_open_seconds', { network: 'polygon' }), 600);
  await orders.advance('P2D');
  assert.equal((await orders.read(tooLittle)).holdReason, 'underpaid');
  assert.equal((await scrape()).read('trilho_orders_held', { reason: 'underpaid' }), 1);
});

test('docs/metrics.md describes every metric with its type and labels, and no other', async () => {
  // Only live has banks that list their payments.
  await service.sql(
    `insert into rails (name, method, path_token, seen_until, compared_day, compared_at, differences)
     values ('efi', 'pix', 'x', now(), '2026-11-16', now(), 0)`,
  );
  await service.sql(
    `insert into boleto_returns (id, rail, digest, sequence, received_at, received_by)
     values (gen_random_uuid(), 'bank756:main', sha256('x'), 1, now(), 'test')`,
  );
  // Its reader is served by a loop; no other runs here.
  const stream = get(`${service.url}/events/stream`, { agent: false });
  await once(stream, 'response');
  const { types, samples } = await scrape();
  stream.destroy();
  const rows = documented();
  const own = [...types].filter(([name]) => name.startsWith('trilho_'));
  assert.deepEqual(rows.map(({ name, type }) => [name, type]).sort(), own.sort());
  for (const { name, labels } of rows) {
    const of = samples.filter(
      sample => sample.name.replace(/_(bucket|sum|count)$/, '') === name || sample.name === name,
    );
    assert.ok(of.length > 0, `${name} has a value`);
    const seen = new Set(of.flatMap(sample => Object.keys(sample.labels).filter(label => label !== 'le')));
    assert.deepEqual([...seen].sort(), [...labels].sort(), name);
  }
  assert.ok(types.has('nodejs_eventloop_lag_p99_seconds') && types.has('process_open_fds'));
});

test('rows are counted only up to the limit', async () => {
  await service.sql('alter table webhook_deliveries disable trigger all');
  await service.sql(
    `insert into webhook_deliveries (id, account_id, webhook_id, event_id, object_id, position, state, next_at, created_at)
     select gen_random_uuid(), 'acme', w.id, gen_random_uuid(), gen_random_uuid(), n, 'pending', now(), now()
       from webhooks w, generate_series(1, 10001) n`,
  );
  await service.sql('alter table webhook_deliveries enable trigger all');
  assert.equal((await scrape()).read('trilho_webhook_deliveries_pending'), 10_000);
});

test('a figure that cannot be read is an error in the log, not a database that is down', async () => {
  lines.length = 0;
  await service.sql('alter table event_readers rename to event_readers_away');
  const { read } = await scrape();
  await service.sql('alter table event_readers_away rename to event_readers');
  assert.equal(read('trilho_database_up'), 1);
  assert.equal(read('trilho_events_waiting'), undefined);
  const fault = lines.map(line => JSON.parse(line)).find(({ level }) => level === 'error');
  assert.match(fault?.msg, /backlog could not be read/);
  assert.equal(fault.error.code, '42P01');
});

test('live answers a known key while the database is unavailable, and shows that', { timeout: 300_000 }, async t => {
  const live = await startService({ mode: 'live', rails: sandboxRails });
  t.after(() => live.stop());
  const wire = await startCutWire(live.databaseUrl);
  t.after(() => wire.close());
  const node = await startService({ mode: 'live', rails: sandboxRails, beside: { ...live, databaseUrl: wire.url } });
  t.after(() => node.stop());
  const bearer = async () => ({ authorization: `Bearer ${(await live.makeKey('acme')).text}` });
  const [known, unseen] = [await bearer(), await bearer()];
  assert.equal((await scrape(node, known)).read('trilho_database_up'), 1);

  wire.cutAtCommit({ forGood: true });
  const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
  const refused = await node.post('/charges', chargeBody({ customer, methods: ['pix'] }), known);
  assert.equal(refused.status, 503, refused.text);
  live.clock.advanceMs(900);

  const { read, types } = await scrape(node, known);
  assert.equal(read('trilho_database_up'), 0);
  assert.equal(read('trilho_webhook_deliveries_pending'), undefined, 'an unknown figure is not 0');
  assert.equal(read('trilho_orders_held', { reason: 'underpaid' }), undefined);
  assert.ok(read('trilho_database_connections', { state: 'max' })! > 0);
  assert.ok(types.has('nodejs_eventloop_lag_p99_seconds'));
  for (const [where, headers] of [
    ['/metrics', unseen],
    ['/charges', known],
  ] as const) {
    const answer = await node.get(where, headers);
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.json.code, 'database_unavailable');
  }
  wire.mend();
  assert.equal((await scrape(node, known)).read('trilho_database_up'), 1);
});
