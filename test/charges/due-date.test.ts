// A new due date of a charge: at once, or by files of a bank that confirms or refuses it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { digitableLine } from '@trilho/cnab';
import pg from 'pg';
import { dueCommand } from '../../src/cli/due.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { startServiceAtBank } from '../harness/boleto-bank.ts';
import { runCommand } from '../harness/commands.ts';
import { submit } from '../harness/dashboard.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { BANKS } from '../packages/cnab/agreements.ts';

const boletos = JSON.stringify(BANKS.map(bank => agreementEntry(bank, { accounts: [`account-${bank}`], test: true })));
let service: Service;
before(async () => {
  service = await startService({
    env: { TRILHO_BOLETOS: boletos, TRILHO_RATE_LIMIT: '0' },
    now: '2026-11-17T12:00:00Z',
  });
});
after(() => service.stop());

const [DUE, LATER, LATEST] = ['2026-12-10', '2026-12-30', '2027-01-11'].map(day => `${day}T23:59:59-03:00`) as [
  string,
  string,
  string,
];
const utc = (time: string) => new Date(time).toISOString();

const at = (bank: string, rest: string) => `/sandbox/banks/${encodeURIComponent(`bank${bank}:main`)}/${rest}`;
async function send(bank: string): Promise<Answer['json']['files']> {
  await service.runJobs();
  return (await service.send(at(bank, 'files'), { method: 'POST' })).json.files;
}
async function hear(bank: string): Promise<Record<string, number>> {
  const { json } = await service.post(at(bank, 'returns'), {});
  await service.runJobs();
  return json.read.counts;
}
async function registered(bank: string, changes: Record<string, unknown> = {}): Promise<string> {
  const body = boletoBody({ accountId: `account-${bank}`, dueAt: DUE, taxes: { fine: 2 }, ...changes });
  const { json } = await service.post('/charges', body);
  await send(bank);
  assert.deepEqual(await hear(bank), { registered: 1 });
  return json.id;
}
const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
const change = (id: string, dueAt: string) => service.post(`/charges/${id}/due-date`, { dueAt });
const eventsOf = async (id: string) =>
  (await service.get(`/events?objectId=${id}`)).json.events.map(({ type }: { type: string }) => type);

/** The first tier has the bank with codes of its own, and one by the norm. */
const ASKED = scaled(BANKS.length) === BANKS.length ? BANKS : ['341', '756'];

for (const bank of ASKED) {
  test(`bank ${bank} is asked in the next file, and its confirmation decides`, async () => {
    const id = await registered(bank);
    const before = await read(id);
    const asked = await change(id, LATER);
    assert.equal(asked.status, 200, asked.text);
    assert.deepEqual(asked.json.dueChange, { dueAt: utc(LATER), status: 'PENDING' });
    assert.deepEqual([asked.json.dueAt, asked.json.boleto], [before.dueAt, before.boleto]);
    assert.equal((await send(bank))[0].titles, 1);
    assert.deepEqual(await hear(bank), { noted: 1 });
    const charge = await read(id);
    assert.deepEqual(charge.dueChange, { dueAt: utc(LATER), status: 'DONE' });
    assert.deepEqual([charge.dueAt, charge.expireAt], [utc(LATER), utc('2027-01-29T23:59:59-03:00')]);
    assert.notEqual(charge.boleto.digitableLine, before.boleto.digitableLine);
    assert.equal(charge.boleto.digitableLine, digitableLine(charge.boleto.barcode));
    assert.deepEqual((await eventsOf(id)).includes('charge.due_changed'), true);
    const owed = (await service.get(`/charges/${id}/amount?on=2026-12-29`)).json;
    assert.equal(owed.boleto.totalCents, charge.amountCents, 'no fine before the new due day');
    assert.deepEqual(await send(bank), [], 'the bank is asked once');
  });
}

describe('a change of the due date', () => {
  test('that the bank refuses leaves the charge unchanged', async () => {
    const id = await registered('756');
    const before = await read(id);
    // A sandbox accepts any date, its bank does not.
    await change(id, '2026-11-01T12:00:00-03:00');
    await send('756');
    assert.deepEqual(await hear('756'), { needs_attention: 1 });
    const charge = await read(id);
    assert.equal(charge.dueChange.status, 'FAILED');
    assert.match(charge.dueChange.reason, /^The bank refused an instruction: 16 /);
    assert.deepEqual([charge.dueAt, charge.boleto], [before.dueAt, before.boleto]);
    assert.equal((await eventsOf(id)).includes('charge.due_change_failed'), true);
    // It may be requested again.
    assert.equal((await change(id, LATER)).json.dueChange.status, 'PENDING');
    await send('756');
    await hear('756');
    assert.equal((await read(id)).dueAt, utc(LATER));
  });

  test("can be replaced until it is in a file; then the bank's answer comes first", async () => {
    const id = await registered('341');
    await change(id, LATER);
    assert.equal((await change(id, LATER)).status, 200, 'the same request changes nothing');
    assert.equal((await change(id, LATEST)).json.dueChange.dueAt, utc(LATEST));
    assert.equal((await send('341'))[0].titles, 1);
    const { status, json } = await change(id, LATER);
    assert.deepEqual([status, json.code], [409, 'wrong_state']);
    await hear('341');
    assert.equal((await read(id)).dueAt, utc(LATEST));
  });

  test('ends with the charge: the bank gets a write-off and no new day', async () => {
    const id = await registered('237');
    await change(id, LATER);
    await service.post(`/charges/${id}/cancel`, {});
    assert.equal((await send('237'))[0].titles, 1);
    assert.deepEqual(await hear('237'), { written_off: 1 });
    const charge = await read(id);
    assert.deepEqual([charge.state, charge.dueChange.status, charge.dueAt], ['CANCELED', 'FAILED', utc(DUE)]);
    assert.equal((await change(id, LATER)).status, 409);
  });

  test('is not sent for a boleto that was paid before the file was made', async () => {
    const id = await registered('104');
    await change(id, LATER);
    await service.post(`/charges/${id}/payments`, { method: 'boleto', amountCents: 15_990, reference: 'paid first' });
    assert.deepEqual(await send('104'), []);
    const charge = await read(id);
    assert.deepEqual([charge.state, charge.dueChange.status], ['PAID', 'FAILED']);
    const { json } = await service.get('/boletos/instructions?status=waiting');
    assert.deepEqual(json.instructions, []);
  });

  test('makes an overdue charge active again, and its timers count from the new day', async () => {
    const id = await registered('001', { dueAt: '2026-11-18T23:59:59-03:00' });
    await service.post('/sandbox/clock', { to: '2026-11-20T12:00:00Z' });
    assert.equal((await read(id)).state, 'OVERDUE');
    await change(id, '2026-11-25T23:59:59-03:00');
    await send('001');
    await hear('001');
    const charge = await read(id);
    assert.deepEqual([charge.state, charge.boleto.status], ['ACTIVE', 'REGISTERED']);
    await service.post('/sandbox/clock', { to: '2026-11-27T12:00:00Z' });
    assert.equal((await read(id)).state, 'OVERDUE');
  });

  test('takes effect at once if no bank is involved, from the command line and the dashboard too', async () => {
    const { json } = await service.post('/charges', boletoBody({ methods: ['boleto', 'pix'], dueAt: DUE }));
    await service.runJobs();
    assert.equal((await change(json.id, LATER)).json.dueAt, utc(LATER));
    const env = { DATABASE_URL: service.databaseUrl };
    const said = await runCommand(dueCommand, env, [json.id, '2027-01-11']);
    assert.deepEqual(said, { code: 0, said: 'The charge is due on 2027-01-11 and ACTIVE.' });
    assert.equal((await read(json.id)).dueAt, utc(LATEST));
    await assert.rejects(runCommand(dueCommand, env, [json.id, '2027-02-30']), /<day> must be a day/);
    const page = await submit(service, `/charges/${json.id}/due-date`, { dueDay: '2026-12-30' });
    assert.equal(page.status, 303);
    assert.equal((await read(json.id)).dueAt, utc(LATER));
    const kept = await service.post('/charges', boletoBody({ amountCents: 9_006, dueAt: DUE }));
    await service.runJobs();
    assert.equal((await change(kept.json.id, LATER)).json.dueChange.status, 'FAILED');
  });
});

test('live refuses a past day and an unknown charge', async t => {
  const pixKey = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme', TRILHO_PIX_CITY: 'Recife' };
  const live = await startService({ mode: 'live', env: pixKey, now: '2026-11-17T12:00:00Z' });
  t.after(() => live.stop());
  const { json } = await live.post('/charges', boletoBody({ methods: ['pix'], dueAt: DUE }));
  await live.runJobs();
  const past = await live.post(`/charges/${json.id}/due-date`, { dueAt: '2026-11-16T12:00:00-03:00' });
  assert.deepEqual([past.status, past.json.errors[0].path], [400, 'dueAt']);
  assert.equal((await live.post(`/charges/${json.id}/due-date`, { dueAt: LATER })).json.dueAt, utc(LATER));
  const nobody = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
  assert.equal((await live.post(`/charges/${nobody}/due-date`, { dueAt: LATER })).status, 404);
});

test('with a PSP that does not support changes they are refused in one sentence', async t => {
  const bank = await startServiceAtBank('sicoob', { hasPix: true });
  t.after(() => bank.stop());
  const { json } = await bank.create({ methods: ['pix'] });
  await bank.service.runJobs();
  const refused = await bank.service.post(`/charges/${json.id}/due-date`, { dueAt: LATER });
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
  assert.match(refused.json.detail, /at bank:pix cannot be changed: cancel the charge/);
});

test('a date that is changed while its day passes takes effect: the charge is not overdue', async () => {
  const { json } = await service.post('/charges', boletoBody({ accountId: 'acme', methods: ['pix'], dueAt: LATEST }));
  await service.runJobs();
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    // Locks the charge as a request does, until the sweep that has seen its timer waits for it.
    await client.query('begin');
    await client.query('select from charges where id = $1 for update', [json.id]);
    const moved = service.post('/sandbox/clock', { to: '2027-01-12T12:00:00Z' });
    while ((await service.sql('select from pg_locks where not granted')).length === 0) await wait(20);
    await client.query(`update charge_timers set at = at + interval '30 days' where charge_id = $1`, [json.id]);
    await client.query('commit');
    assert.equal((await moved).status, 200, (await moved).text);
  } finally {
    await client.end();
  }
  const { state, pix } = await read(json.id);
  assert.deepEqual([state, pix.status], ['ACTIVE', 'ACTIVE']);
});
