// trilho listen and trilho trigger, as a developer runs them beside a service.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { EVENT_EXAMPLES, EVENT_TYPES } from '../../src/api/events.ts';
import { TRIGGERS, trigger } from '../../src/cli/trigger.ts';
import { isUuid } from '../../src/lib/ids.ts';
import { chargeBody } from '../harness/bodies.ts';
import {
  ASK_AGAIN_MS,
  freePort,
  launch,
  ownFolder,
  PROJECT,
  type Running,
  refusalOf,
  runToEnd,
  until,
} from '../harness/process.ts';
import { type Received, startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ work: true });
});
after(() => service.stop());

const trilho = (...args: string[]) => [process.execPath, path.join(PROJECT, 'bin/trilho.js'), ...args];
const make = async (): Promise<string> => (await service.post('/charges', chargeBody())).json.id;

async function startListening(folder: string, ...args: string[]): Promise<{ running: Running; secret: string }> {
  const running = launch({ folder, command: trilho('listen', ...args) });
  const secret = await until('the secret', () => /signed with (whsec_\S+)/.exec(running.stdout())?.[1]);
  return { running, secret };
}

/** Creates charges until an event of one arrives: then it listens. */
async function untilListening(received: readonly Received[]): Promise<void> {
  const isListening = async () => {
    await make();
    return received.length > 0;
  };
  await until('it to listen', isListening, ASK_AGAIN_MS);
}

test('events are forwarded, signed and in order, and wait while the local port is down', async t => {
  const folder = await ownFolder(t);
  const port = await freePort();
  const first = await startReceiver(t, 200, port);
  const { running, secret } = await startListening(folder, '--url', service.url, '--forward', first.url);
  await untilListening(first.received);
  for (const { text, headers } of first.received) new Verifier(secret).verify(text, headers as Record<string, string>);

  const paid = await make();
  await until('the last of it', () =>
    first.received.some(({ json }) => json.data.objectId === paid && json.type === 'charge.active'),
  );
  await first.close();
  await service.post(`/sandbox/charges/${paid}/pay`, { method: 'pix' });
  // Another charge may be registered meanwhile, and stand before it.
  await until('the complaint', () => /charge\.(paid|active) \S+ waits/.test(running.stdout()));
  await service.post(`/charges/${paid}/refunds`, {});
  const second = await startReceiver(t, 500, port);
  const waited = () => second.received.filter(({ json }) => json.data.objectId === paid).map(({ json }) => json.type);
  await until('what waited', () => waited().length >= 3);
  assert.deepEqual(waited(), ['charge.paid', 'charge.refund_requested', 'charge.refunded']);
  const ids = [...first.received, ...second.received].map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, ids.length, 'nothing twice');
});

test('only the named types are forwarded', async t => {
  const folder = await ownFolder(t);
  const receiver = await startReceiver(t);
  await startListening(
    folder,
    '--url',
    service.url,
    '--forward',
    receiver.url,
    '--types',
    'charge.created,charge.paid',
  );
  await untilListening(receiver.received);
  const paid = await make();
  await service.post(`/sandbox/charges/${paid}/pay`, { method: 'pix' });
  await until('the payment', () => receiver.received.some(({ json }) => json.type === 'charge.paid'));
  assert.deepEqual([...new Set(receiver.received.map(({ json }) => json.type))].sort(), [
    'charge.created',
    'charge.paid',
  ]);
});

test('after an outage of the service it continues from where it was', async t => {
  const folder = await ownFolder(t);
  const receiver = await startReceiver(t);
  // A connection between them that can be cut.
  const { connect, createServer } = await import('node:net');
  const { hostname, port } = new URL(service.url);
  let isCut = false;
  const sockets = new Set<import('node:net').Socket>();
  const wire = createServer(socket => {
    if (isCut) return socket.destroy();
    const onward = connect(Number(port), hostname);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on('error', () => end.destroy());
      end.once('close', () => sockets.delete(end));
    }
    return socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>(resolve => wire.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const address = `http://127.0.0.1:${(wire.address() as { port: number }).port}`;
  const types = ['--types', 'charge.created'];
  await startListening(folder, '--url', address, '--forward', receiver.url, ...types);
  await untilListening(receiver.received);
  const start = receiver.received.length;
  const made: string[] = [];
  for (let round = 0; round < 3; round++) {
    made.push(await make());
    isCut = true;
    for (const socket of sockets) socket.destroy();
    made.push(await make(), await make());
    isCut = false;
    const last = made.at(-1);
    await until('the missed events', () => receiver.received.some(({ json }) => json.data.objectId === last));
  }
  const received = receiver.received.map(({ json }) => json.data.objectId);
  assert.deepEqual(received.slice(-made.length), made, 'all, once, in order');
  assert.equal(new Set(received).size, received.length);
  assert.ok(start >= 1);
});

test('every event that a sandbox can cause can be triggered, and happens', async t => {
  // A sandbox has no Pix Automático, and this one no mail server.
  const outcomesOfMails = ['reminder.sent', 'reminder.failed', 'reminder.unknown'];
  const causable = EVENT_TYPES.filter(type => !type.startsWith('mandate.') && !outcomesOfMails.includes(type));
  assert.deepEqual(TRIGGERS, causable);
  const folder = await ownFolder(t);
  const list = await runToEnd({ folder, command: trilho('trigger', '--list') });
  assert.deepEqual(list.stdout.trim().split('\n'), causable);
  const one = await runToEnd({ folder, command: trilho('trigger', 'charge.paid', '--url', service.url) });
  assert.equal(`${one.code} ${JSON.parse(one.stdout).type}`, '0 charge.paid');
  for (const type of TRIGGERS) {
    const event = JSON.parse(await trigger(service.url, type));
    assert.equal(event.type, type);
    // The document shows what happens: record it again with npm run docs -- events when this fails.
    assert.deepEqual(masked(EVENT_EXAMPLES[type]), masked(event), type);
  }
});

/** Fields whose values follow from an id or a time. */
const DERIVED = [
  'txid',
  'emv',
  'barcode',
  'digitableLine',
  'qrCodeUrl',
  'pdfUrl',
  'slipsUrl',
  'checkoutUrl',
  'hash',
  'reference',
];

/** The value, with only the kind of everything that differs from run to run. */
function masked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    // An order may be held for its refund first, or find the refund done: one event more or less before the last.
    if (key === 'sequence' || key === 'day') return typeof inner;
    if (typeof inner !== 'string') return inner;
    if (DERIVED.includes(key)) return key;
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(inner)) return 'a time';
    if (/^\d{4}-\d\d-\d\d$/.test(inner)) return 'a day';
    return isUuid(inner) ? 'an id' : inner;
  });
}

test('a wrong argument is named', async t => {
  const folder = await ownFolder(t);
  const wrong: [string[], RegExp][] = [
    [['listen'], /^trilho listen: --forward is missing/],
    [['listen', '--forward', 'localhost:4000'], /^trilho listen: --forward must be an http or https URL/],
    [['listen', '--forward', 'http://x', '--types', 'charge.paid,y'], /^trilho listen: --types has "y"/],
    [['listen', '--forward', 'http://x', '--url', 'y'], /^trilho listen: --url must be/],
    [['listen', '--forward', 'http://x', 'y'], /^trilho listen: "y" is one argument too many/],
    [['trigger'], /^trilho trigger: <event> is missing/],
    [['trigger', 'charge.gone'], /^trilho trigger: <event> must be .* not "charge\.gone"/],
    [['trigger', '--lst'], /^trilho trigger: --lst is not an option/],
    [['trigger', '--list', 'y'], /^trilho trigger: "y" is one argument too many/],
    [['trigger', '--list=y'], /^trilho trigger: .*--list takes no value/],
    [['trigger', 'charge.paid', '--url', 'y'], /^trilho trigger: --url must be/],
  ];
  for (const [args, message] of wrong) {
    assert.match(refusalOf(await runToEnd({ folder, command: trilho(...args) })), message);
  }
});

test('it ends quietly when its output is closed', async t => {
  const receiver = await startReceiver(t);
  const { running } = await startListening(await ownFolder(t), '--url', service.url, '--forward', receiver.url);
  running.child.stdout!.destroy();
  const hasEnded = async () => {
    await make();
    return running.child.exitCode !== null;
  };
  await until('it to end', hasEnded, ASK_AGAIN_MS);
  const { code, stderr } = await running.ended();
  assert.deepEqual([code, stderr], [141, '']);
});
