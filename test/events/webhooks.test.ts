// Webhooks: what is signed and sent, when it is retried, and how missed deliveries are found and sent again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { after, before, type TestContext, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { startDelivering } from '../../src/events/delivering.ts';
import { fanOut } from '../../src/events/fan-out.ts';
import { MAX_WEBHOOKS, nextTryAt, RETRY_GAPS_MS } from '../../src/events/webhook.ts';
import { sendOutgoing } from '../../src/lib/outgoing-request.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { secretBox } from '../../src/storage/secret-box.ts';
import { chargeBody } from '../harness/bodies.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { type Judge, readOpenApi } from '../harness/openapi.ts';
import { until } from '../harness/process.ts';
import { type Received, type Receiver, startReceiver } from '../harness/receiver.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const { log, lines } = recordingLog();
/** TRILHO_WEBHOOK_CONCURRENCY of the service. */
const AT_ONCE = 12;
let service: Service;
let judge: Judge;
before(async () => {
  service = await startService({ log, env: { TRILHO_WEBHOOK_CONCURRENCY: String(AT_ONCE) } });
  judge = await readOpenApi(service);
});
after(() => service.stop());

/** A webhook for its own account, deleted with its test. */
async function hook(t: TestContext, receiver: Receiver, changes: Record<string, unknown> = {}) {
  const accountId = `account of ${t.name}`.slice(0, 200);
  const answer = await service.post('/webhooks', { url: receiver.url, accountId, ...changes });
  assert.equal(answer.status, 201, answer.text);
  assert.equal(judge.faultOf(['components', 'schemas', 'WebhookWithSecret'], answer.json), undefined);
  const { id, secret } = answer.json as { id: string; secret: string };
  t.after(() => service.send(`/webhooks/${id}`, { method: 'DELETE' }));
  return {
    id,
    secret,
    accountId,
    make: async (): Promise<string> => (await service.post('/charges', chargeBody({ accountId }))).json.id,
    view: async () => (await service.get(`/webhooks/${id}`)).json,
    deliveries: async (query = '') =>
      (await service.get(`/webhooks/${id}/deliveries?pageSize=100&${query}`)).json.deliveries,
    post: (path: string): Promise<Answer> => service.send(`/webhooks/${id}${path}`, { method: 'POST' }),
  };
}

/** A node that delivers; returns how it is stopped. */
function startNode(): () => Promise<void> {
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  const node = startDelivering({
    db,
    clock: service.clock,
    secretBox: secretBox([]),
    allowsLocal: true,
    webhookConcurrency: AT_ONCE,
    log: silentLog,
  });
  return async () => {
    await node.stop();
    await db.close();
  };
}

const patch = (id: string, body: unknown) =>
  service.send(`/webhooks/${id}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const typesOf = (received: readonly Received[]) => received.map(({ json }) => json.type.replace('charge.', ''));
const verified = (secret: string, { text, headers }: Received) =>
  new Verifier(secret).verify(text, headers as Record<string, string>);
/** Past the next try of every waiting delivery. */
const HOUR_MS = 3_600_000;

test('an event is sent as in Standard Webhooks, and equals the one in GET /events', async t => {
  const receiver = await startReceiver(t);
  const { id, secret, make } = await hook(t, receiver);
  const chargeId = await make();
  await service.runJobs();
  assert.deepEqual(typesOf(receiver.received), ['created', 'active']);
  for (const received of receiver.received) {
    verified(secret, received);
    assert.throws(() => verified(secret, { ...received, text: `${received.text} ` }));
    const { type, timestamp, data } = received.json;
    assert.equal(received.headers['webhook-id'], data.id);
    assert.equal(received.headers['content-type'], 'application/json');
    assert.equal(data.objectId, chargeId);
    assert.equal(timestamp, data.occurredAt);
    const place = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    assert.equal(judge.faultOf(place, received.json), undefined);
    assert.deepEqual((await service.get(`/events/${data.id}`)).json, data);
  }
  const { json } = await service.get(`/webhooks/${id}/deliveries?state=delivered`);
  assert.equal(judge.faultOf(['components', 'schemas', 'DeliveriesPage'], json), undefined);
  assert.deepEqual(
    json.deliveries.map(({ eventType, attempts }: { eventType: string; attempts: unknown[] }) => [
      eventType,
      attempts.length,
    ]),
    [
      ['charge.active', 1],
      ['charge.created', 1],
    ],
  );
  const [attempt] = json.deliveries[0].attempts;
  assert.equal(`${attempt.status} ${attempt.answer}`, '200 received');
  assert.ok(attempt.latencyMs >= 0);
  await service.runJobs();
  assert.equal(receiver.received.length, 2, 'nothing is sent twice');
});

test('a delivery and a ping name the sender', async t => {
  const receiver = await startReceiver(t);
  const { make, post } = await hook(t, receiver);
  await make();
  await service.runJobs();
  await post('/ping');
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.ok(receiver.received.length >= 2);
  for (const { headers } of receiver.received) assert.equal(headers['user-agent'], `Trilho/${version}`);
});

test('only subscribed events are sent: of its types and its account, from its creation on', async t => {
  const receiver = await startReceiver(t);
  const before = await service.post('/charges', chargeBody({ accountId: `account of ${t.name}` }));
  const paidOnly = await hook(t, receiver, { types: ['charge.paid', 'charge.paid'] });
  const unfiltered = await startReceiver(t);
  await hook(t, unfiltered, { accountId: undefined });
  const chargeId = await paidOnly.make();
  await service.post('/charges', chargeBody({ accountId: 'another' }));
  await service.runJobs();
  for (const id of [chargeId, before.json.id]) await service.post(`/sandbox/charges/${id}/pay`, { method: 'pix' });
  await service.runJobs();
  assert.deepEqual(typesOf(receiver.received), ['paid', 'paid']);
  assert.deepEqual((await paidOnly.view()).types, ['charge.paid']);
  const accounts = new Set(unfiltered.received.map(({ json }) => json.data.accountId));
  assert.ok(accounts.has('another') && accounts.has(paidOnly.accountId));
  assert.ok(!unfiltered.received.some(({ json }) => json.data.objectId === before.json.id && json.data.sequence === 1));
});

test('a failed delivery is retried with growing pauses, and the events of its object wait behind it', async t => {
  const receiver = await startReceiver(t, 503);
  const { make, view, deliveries } = await hook(t, receiver);
  const chargeId = await make();
  await service.runJobs();
  assert.deepEqual(typesOf(receiver.received), ['created']);
  const failing = await view();
  assert.equal(`${failing.health} ${failing.lastError}`, 'failing Answered 503.');
  assert.equal(failing.failingSince, service.clock.now().toISOString());
  await service.runJobs();
  assert.equal(receiver.received.length, 1, 'not before its time');
  const [waiting] = (await deliveries('state=pending')).toReversed();
  const gapMs = Date.parse(waiting.nextAttemptAt) - service.clock.now().getTime();
  assert.ok(gapMs >= 5_000 && gapMs <= 6_000, String(gapMs));
  service.clock.advanceMs(6_000);
  await service.runJobs();
  assert.deepEqual(typesOf(receiver.received), ['created', 'created']);
  receiver.behave(204);
  service.clock.advanceMs(HOUR_MS);
  await service.runJobs();
  assert.deepEqual(typesOf(receiver.received), ['created', 'created', 'created', 'active']);
  assert.ok(receiver.received.every(({ json }) => json.data.objectId === chargeId));
  const mended = await view();
  assert.equal(`${mended.health} ${mended.failingSince} ${mended.lastError}`, 'ok undefined Answered 503.');
});

test('with any jitter the schedule lasts at least 76 hours, each gap longer than the one before', () => {
  const start = new Date(0);
  for (const chance of [0, 0.5, 1]) {
    let at = start;
    let lastGapMs = 0;
    for (let attempts = 1; attempts <= RETRY_GAPS_MS.length; attempts++) {
      const next = nextTryAt(attempts, at, chance)!;
      assert.ok(next.getTime() - at.getTime() > lastGapMs);
      lastGapMs = next.getTime() - at.getTime();
      at = next;
    }
    assert.ok(at.getTime() >= 76 * HOUR_MS);
    assert.equal(nextTryAt(RETRY_GAPS_MS.length + 1, at, chance), undefined);
  }
});

test('a delivery whose last try fails is listed as failed, lets the next one pass, and can be sent again', async t => {
  const receiver = await startReceiver(t, 500);
  const { make, deliveries, post, view } = await hook(t, receiver, { types: ['charge.created', 'charge.canceled'] });
  const chargeId = await make();
  await service.runJobs();
  await service.send(`/charges/${chargeId}/cancel`, { method: 'POST' });
  for (let tries = 1; tries <= RETRY_GAPS_MS.length; tries++) {
    assert.equal(receiver.received.length, tries);
    service.clock.advanceMs(RETRY_GAPS_MS[tries - 1]! * 1.2);
    if (tries === RETRY_GAPS_MS.length)
      receiver.behave((response, { json }) => response.writeHead(json.type === 'charge.created' ? 500 : 200).end());
    await service.runJobs();
  }
  assert.deepEqual(typesOf(receiver.received).slice(-2), ['created', 'canceled']);
  const [failed, ...others] = await deliveries('state=failed');
  assert.equal(others.length, 0);
  assert.equal(failed.attempts.length, RETRY_GAPS_MS.length + 1);
  assert.equal((await view()).health, 'ok', 'the last one went through');
  receiver.behave(200);
  const again = await post(`/deliveries/${failed.id}/redeliver`);
  assert.equal(again.status, 202);
  assert.equal(again.json.state, 'pending');
  await service.runJobs();
  assert.equal(receiver.received.at(-1)!.headers['webhook-id'], failed.eventId);
  assert.deepEqual(await deliveries('state=failed'), []);
  assert.equal((await post(`/deliveries/${chargeId}/redeliver`)).status, 404);
});

test('410 disables a webhook, as its view shows; enabled again it gets all missed events', async t => {
  const receiver = await startReceiver(t, 410);
  const { id, make, view, deliveries } = await hook(t, receiver, { types: ['charge.created'] });
  const ids = [await make()];
  await service.runJobs();
  const gone = await view();
  assert.equal(
    `${gone.enabled} ${gone.health} ${gone.disabledReason} ${gone.lastError}`,
    'false disabled gone Answered 410.',
  );
  receiver.behave(200);
  ids.push(await make());
  await service.runJobs();
  assert.equal(receiver.received.length, 1, 'nothing more is sent');
  assert.equal((await deliveries('state=pending')).length, 2, 'the missed ones are listed');
  const enabled = await patch(id, { enabled: true });
  assert.equal(`${enabled.json.health} ${enabled.json.disabledReason}`, 'ok undefined');
  await service.runJobs();
  assert.deepEqual(
    receiver.received.slice(1).map(({ json }) => json.data.objectId),
    ids,
  );
});

test('a failure is logged with the webhook, the delivery, the attempt and the answer', async t => {
  const receiver = await startReceiver(t, 500);
  const { id, make, deliveries } = await hook(t, receiver);
  lines.length = 0;
  await make();
  await service.runJobs();
  const [oldest] = (await deliveries()).slice(-1);
  const line = lines.map(text => JSON.parse(text)).find(({ msg }) => msg === 'a delivery failed; it is sent again');
  assert.deepEqual(
    [line?.level, line.webhookId, line.deliveryId, line.attempt, line.status, line.reason],
    ['info', id, oldest.id, 1, 500, 'Answered 500.'],
  );
});

test('a replay sends everything since a moment again, in order, also from before the webhook was created', async t => {
  const receiver = await startReceiver(t);
  const accountId = `account of ${t.name}`;
  await service.post('/charges', chargeBody({ accountId }));
  await service.runJobs();
  service.clock.advanceMs(60_000);
  const from = service.clock.now().toISOString();
  const old = (await service.post('/charges', chargeBody({ accountId }))).json.id;
  await service.runJobs();
  const { make, post } = await hook(t, receiver);
  const fresh = await make();
  await service.runJobs();
  assert.equal(receiver.received.length, 2);
  const answer = await post(`/replay?from=${from}`);
  assert.equal(answer.status, 202);
  assert.deepEqual(answer.json, { from, events: 4 });
  await service.runJobs();
  const again = receiver.received.slice(2);
  assert.equal(again.length, 4);
  for (const chargeId of [old, fresh]) {
    const its = again.filter(({ json }) => json.data.objectId === chargeId);
    assert.deepEqual(typesOf(its), ['created', 'active']);
  }
  assert.deepEqual((await post('/replay?from=2999-01-01T00:00-03:00')).json.events, 0);
  for (const bad of ['/replay', '/replay?from=yesterday', '/replay?from=2026-01-01'])
    assert.equal((await post(bad)).status, 400, bad);
});

test('a webhook has one replay at a time, and a long one does not delay those of others', async t => {
  const receiver = await startReceiver(t);
  const long = await hook(t, receiver, { enabled: false });
  const short = await hook(t, receiver, { enabled: false, accountId: `short: ${t.name}` });
  await service.sql(
    `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
     select gen_random_uuid(), account_id, 'charge.created', gen_random_uuid(), 1, now(), '{}'
       from webhooks cross join generate_series(1, case when id = $1 then 2500 else 1 end) where id = any($2)`,
    [long.id, [long.id, short.id]],
  );
  await service.runJobs();
  await service.sql(`update webhook_deliveries set state = 'delivered' where webhook_id = any($1)`, [
    [long.id, short.id],
  ]);
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  t.after(() => db.close());
  assert.equal((await long.post('/replay?from=2000-01-01T00:00Z')).json.events, 2_500);
  assert.equal((await short.post('/replay?from=2000-01-01T00:00Z')).json.events, 1);
  const twice = await long.post('/replay?from=2000-01-01T00:00Z');
  assert.equal(`${twice.status} ${twice.json.code}`, '409 wrong_state');
  await fanOut({ db, clock: service.clock });
  await fanOut({ db, clock: service.clock });
  const again = async (id: string) =>
    (await service.sql(`select from webhook_deliveries where webhook_id = $1 and round > 0`, [id])).length;
  assert.deepEqual([await again(long.id), await again(short.id)], [1_000, 1]);
  for (let batch = 0; batch < 2; batch++) await fanOut({ db, clock: service.clock });
  assert.equal(await again(long.id), 2_500);
  assert.equal((await long.post('/replay?from=2000-01-01T00:00Z')).status, 202);
});

test('a secret is shown once; after a rotation both sign for a day', async t => {
  const receiver = await startReceiver(t);
  const { id, secret: first, make, post, view } = await hook(t, receiver, { types: ['charge.created'] });
  assert.equal((await view()).secret, undefined);
  service.clock.advanceMs(HOUR_MS);
  const { secret: second } = (await post('/rotate-secret')).json;
  assert.notEqual(second, first);
  await make();
  await service.runJobs();
  const [during] = receiver.received;
  assert.equal(during!.headers['webhook-signature']!.toString().split(' ').length, 2);
  for (const secret of [first, second]) verified(secret, during!);
  // After a second rotation, or a lost answer, each secret still has its day.
  service.clock.advanceMs(HOUR_MS);
  const { secret: third } = (await post('/rotate-secret')).json;
  await make();
  await service.runJobs();
  for (const secret of [first, second, third]) verified(secret, receiver.received[1]!);
  service.clock.advanceMs(23.5 * HOUR_MS);
  await make();
  await service.runJobs();
  for (const secret of [second, third]) verified(secret, receiver.received[2]!);
  assert.throws(() => verified(first, receiver.received[2]!));
  for (const path of [`/webhooks/${id}`, '/webhooks']) {
    const { text } = await service.get(path);
    for (const secret of [first, second, third]) assert.ok(!text.includes(secret.slice(6)));
  }
});

test('a ping is signed and sent at once, and the answer has its outcome', async t => {
  const receiver = await startReceiver(t);
  const { secret, post, view } = await hook(t, receiver);
  const good = await post('/ping');
  assert.equal(`${good.status} ${good.json.success} ${good.json.status} ${good.json.answer}`, '200 true 200 received');
  assert.equal(judge.faultOf(['components', 'schemas', 'PingResult'], good.json), undefined);
  verified(secret, receiver.received[0]!);
  assert.equal(receiver.received[0]!.json.type, 'webhook.ping');
  const place = ['webhooks', 'webhook.ping', 'post', 'requestBody', 'content', 'application/json', 'schema'];
  assert.equal(judge.faultOf(place, receiver.received[0]!.json), undefined);
  receiver.behave(418);
  assert.deepEqual([(await post('/ping')).json.success, (await view()).health], [false, 'ok']);
  await receiver.close();
  assert.match((await post('/ping')).json.error, /ECONNREFUSED/);
});

test('a redirect is not followed, and counts as a failure', async t => {
  const elsewhere = await startReceiver(t);
  const receiver = await startReceiver(t, response => response.writeHead(302, { location: elsewhere.url }).end());
  const { make, deliveries } = await hook(t, receiver, { types: ['charge.created'] });
  await make();
  await service.runJobs();
  assert.equal((await deliveries())[0].attempts[0].status, 302);
  assert.equal(elsewhere.connections(), 0);
});

test('the log keeps the first kilobyte of an answer with any bytes, and a 2xx counts although its body never ends', async t => {
  const receiver = await startReceiver(t, response => {
    response.writeHead(200);
    response.write(Buffer.concat([Buffer.from([0, 255]), Buffer.alloc(5_000, 'a')]));
  });
  const { make, deliveries } = await hook(t, receiver, { types: ['charge.created'] });
  await make();
  await service.runJobs();
  const [{ state, attempts }] = await deliveries();
  assert.equal(state, 'delivered');
  assert.equal(attempts[0].answer, `\ufffd\ufffd${'a'.repeat(1_022)}`);
});

test('a webhook gets events of as many objects at once as configured, and those of each object in order', async t => {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver(t, response => held.push(response));
  const { id, make } = await hook(t, receiver);
  const objects = AT_ONCE + 7;
  for (let count = 0; count < objects; count++) await make();
  const running = service.runJobs();
  await until('as many as allowed', () => held.length >= AT_ONCE);
  const [row] = await service.sql<{ count: string }>(
    'select count(*) from webhook_deliveries where webhook_id = $1 and claim is not null',
    [id],
  );
  assert.equal(row!.count, String(AT_ONCE));
  receiver.behave(200);
  for (const response of held) response.writeHead(200).end();
  await running;
  assert.equal(receiver.received.length, 2 * objects);
  assert.equal(receiver.mostAtOnce(), AT_ONCE);
  const byObject = Map.groupBy(receiver.received, ({ json }) => json.data.objectId);
  for (const its of byObject.values()) assert.deepEqual(typesOf(its), ['created', 'active']);
});

test('a redelivery that is requested while it is being sent is sent once more afterwards', async t => {
  let release: (() => void) | undefined;
  const receiver = await startReceiver(t, response => {
    release = () => response.writeHead(200).end();
  });
  const { make, deliveries, post } = await hook(t, receiver, { types: ['charge.created'] });
  await make();
  const running = service.runJobs();
  const answer = await until('it to be in flight', () => release);
  const [{ id }] = await deliveries();
  await post(`/deliveries/${id}/redeliver`);
  receiver.behave(200);
  answer();
  await running;
  assert.equal(receiver.received.length, 2);
  assert.equal((await deliveries())[0].state, 'delivered');
});

test('webhooks are listed, read, changed and deleted', async t => {
  const receiver = await startReceiver(t);
  const { id, accountId, make } = await hook(t, receiver, { enabled: false, types: ['charge.paid'] });
  const listed = await service.get(`/webhooks?accountId=${encodeURIComponent(accountId)}`);
  assert.equal(
    `${listed.json.total} ${listed.json.webhooks[0].id} ${listed.json.webhooks[0].health}`,
    `1 ${id} disabled`,
  );
  assert.equal(judge.faultOf(['components', 'schemas', 'WebhooksPage'], listed.json), undefined);
  const changed = await patch(id, { types: null, url: `${receiver.url}/new`, enabled: true });
  assert.equal(`${changed.json.types} ${changed.json.url} ${changed.json.health}`, `undefined ${receiver.url}/new ok`);
  await make();
  await service.runJobs();
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/hook/new', '/hook/new'],
  );
  for (const [body, path] of [
    [{ url: 'nonsense' }, 'url'],
    [{ types: [] }, 'types'],
    [{ types: ['charge.gone'] }, 'types[0]'],
    [{ accountId: 'other' }, 'accountId'],
    [{ enabled: 'yes' }, 'enabled'],
  ] as const) {
    const refused = await patch(id, body);
    assert.equal(refused.status, 400, path);
    assert.equal(refused.json.errors[0].path, path);
  }
  const { json: was } = await service.get(`/webhooks/${id}`);
  assert.deepEqual((await service.send(`/webhooks/${id}`, { method: 'DELETE' })).json, was);
  await make();
  await service.runJobs();
  assert.equal(receiver.received.length, 2);
  for (const path of [`/webhooks/${id}`, `/webhooks/${id}/deliveries`, '/webhooks/x']) {
    assert.equal((await service.get(path)).status, 404, path);
  }
  for (const verb of ['ping', 'replay?from=2026-01-01T00:00Z', 'rotate-secret']) {
    assert.equal((await service.send(`/webhooks/${id}/${verb}`, { method: 'POST' })).status, 404, verb);
  }
});

test('two concurrent nodes send each delivery once', async t => {
  const receiver = await startReceiver(t);
  const { make } = await hook(t, receiver);
  for (let count = 0; count < 10; count++) await make();
  await Promise.all([service.runJobs(), service.runJobs(), service.runJobs()]);
  await service.runJobs();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, 20);
  assert.equal(ids.length, 20);
});

test('an answer that does not come in time is a failure', async t => {
  const receiver = await startReceiver(t, () => {});
  const answer = await sendOutgoing(
    { allowsLocal: true },
    { url: receiver.url, headers: {}, body: '{}', timeoutMs: 100 },
  );
  assert.equal(answer.error, 'No answer within 0.1 seconds.');
});

test('a receiver that hangs delays neither the others nor a stop, and its deliveries are sent again', async t => {
  const [hanging, healthy] = [await startReceiver(t, () => {}), await startReceiver(t)];
  const { id, make } = await hook(t, hanging, { types: ['charge.created'] });
  await hook(t, healthy, { types: ['charge.created'] });
  const objects = AT_ONCE + 3;
  for (let count = 0; count < objects; count++) await make();
  const stop = startNode();
  await until(
    'both to receive',
    () => healthy.received.length === objects && hanging.received.length >= AT_ONCE,
  ).finally(stop);
  const rows = await service.sql<{ state: string; claim: string | null; attempts: number; sent: number }>(
    'select state, claim, attempts, sent from webhook_deliveries where webhook_id = $1 order by position',
    [id],
  );
  for (const [index, { state, claim, attempts, sent }] of rows.entries()) {
    assert.deepEqual([state, claim, attempts, sent], ['pending', null, 0, index < AT_ONCE ? 1 : 0]);
  }
  hanging.behave(200);
  await service.runJobs();
  assert.equal(new Set(hanging.received.map(({ headers }) => headers['webhook-id'])).size, objects);
});

test('pending deliveries are sent while new events keep coming', async t => {
  const receiver = await startReceiver(t);
  const { make } = await hook(t, receiver);
  await make();
  const stop = startNode();
  const MOST = 5_000;
  let happened = 0;
  try {
    while (receiver.received.length === 0 && happened++ < MOST) {
      await service.sql(
        `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
         values (gen_random_uuid(), 'busy', 'charge.created', gen_random_uuid(), 1, now(), '{}')`,
      );
    }
  } finally {
    await stop();
  }
  assert.ok(happened < MOST, `nothing was sent while ${MOST} events came`);
});

test('an answer with another protocol is a failure like any other', async t => {
  const receiver = await startReceiver(t, response => {
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
  });
  const { id, post, make } = await hook(t, receiver);
  const ping = await post('/ping');
  assert.equal(ping.json.success, false, ping.text);
  await make();
  await service.runJobs();
  assert.equal((await service.get(`/webhooks/${id}`)).json.health, 'failing');
});

test('a replay right after the webhook was created misses nothing', async t => {
  const receiver = await startReceiver(t);
  const accountId = `account of ${t.name}`.slice(0, 200);
  const charge = await service.post('/charges', chargeBody({ accountId }));
  const { post } = await hook(t, receiver);
  assert.equal((await post('/replay?from=2026-01-01T00:00Z')).json.events, 1);
  await service.runJobs();
  const received = receiver.received
    .filter(({ json }) => json.data.objectId === charge.json.id)
    .map(({ json }) => json.type);
  assert.deepEqual(received, ['charge.created', 'charge.active']);
});

test('events that waited behind another are due as soon as that one is delivered', async t => {
  const receiver = await startReceiver(t, 500);
  const { id, make, post } = await hook(t, receiver);
  await make();
  await service.runJobs();
  service.clock.advanceMs(10_000);
  await service.runJobs();
  receiver.behave(200);
  const { deliveries } = (await service.get(`/webhooks/${id}/deliveries`)).json;
  const before = receiver.received.length;
  await post(`/deliveries/${deliveries.at(-1).id}/redeliver`);
  await service.runJobs();
  assert.equal(receiver.received.length - before, deliveries.length, 'the first and all that waited for it');
});

test('webhooks created at once never exceed the limit of an account', async t => {
  const free = 5;
  const receiver = await startReceiver(t);
  const { id, accountId } = await hook(t, receiver, { enabled: false });
  await service.sql(
    `insert into webhooks
     select copy.* from webhooks w, generate_series(1, $2) n,
            jsonb_populate_record(w, jsonb_build_object('id', md5(n::text))) copy
      where w.id = $1`,
    [id, MAX_WEBHOOKS - free - 1],
  );
  const create = () => service.post('/webhooks', { url: receiver.url, accountId, enabled: false });
  const answers = await Promise.all(Array.from({ length: 20 }, create));
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(free).fill(201), ...Array(20 - free).fill(409)]);
  assert.equal(answers.find(({ status }) => status === 409)!.json.code, 'wrong_state');
  assert.equal((await service.get(`/webhooks?accountId=${encodeURIComponent(accountId)}`)).json.total, MAX_WEBHOOKS);
  assert.equal(
    (await service.post('/webhooks', { url: receiver.url, accountId: 'another', enabled: false })).status,
    201,
  );
});
