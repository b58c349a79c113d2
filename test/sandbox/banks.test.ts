// A sandbox with agreements: boletos go to a simulated bank by file and come back, for every bank and occurrence.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { cnabCommand } from '../../src/cli/cnab.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { BANKS } from '../packages/cnab/agreements.ts';

const SEED = 756;
const boletos = JSON.stringify(BANKS.map(bank => agreementEntry(bank, { accounts: [`account-${bank}`], test: true })));
let service: Service;
before(async () => {
  const env = { TRILHO_BOLETOS: boletos, TRILHO_RATE_LIMIT: '0' };
  service = await startService({ env, now: '2026-11-17T12:00:00Z' });
});
after(() => service.stop());

const at = (bank: string, rest: string) => `/sandbox/banks/${encodeURIComponent(`bank${bank}:main`)}/${rest}`;
async function charge(bank: string, changes: Record<string, unknown> = {}): Promise<Answer['json']> {
  const made = await service.post('/charges', boletoBody({ accountId: `account-${bank}`, ...changes }));
  assert.equal(made.status, 201, made.text);
  return made.json;
}
async function send(bank: string): Promise<Answer['json']['files']> {
  await service.runJobs();
  const sent = await service.send(at(bank, 'files'), { method: 'POST' });
  assert.equal(sent.status, 200, sent.text);
  return sent.json.files;
}
const act = (bank: string, { id }: { id: string }, what: string, more: object = {}) =>
  service.post(at(bank, 'titles'), { chargeId: id, act: what, ...more });
async function hear(bank: string): Promise<Record<string, number>> {
  const { status, json, text } = await service.post(at(bank, 'returns'), {});
  assert.equal(status, 200, text);
  await service.runJobs();
  return json.read.counts;
}
const read = async ({ id }: { id: string }) => (await service.get(`/charges/${id}`)).json;

test('a due date in the year 0, which a database cannot keep, is refused and names its field', async () => {
  for (const methods of [['pix'], ['boleto', 'pix']]) {
    const body = boletoBody({ accountId: 'account-756', methods, dueAt: '0000-01-01T00:00:00Z' });
    const refused = await service.post('/charges', body);
    assert.equal(refused.status, 400, refused.text);
    assert.ok(
      refused.json.errors.some(({ path: field }: { path: string }) => field === 'dueAt'),
      refused.text,
    );
  }
});

test('the charge of a payer without an address has a pix and no boleto', async () => {
  const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
  const { id, boleto, pix } = await charge('756', { customer, methods: ['boleto', 'pix'] });
  assert.equal(boleto.status, 'FAILED');
  assert.match(boleto.reason, /^customer\.address lacks street, city, state, postalCode, /);
  assert.notEqual(pix.emv, '');
  assert.deepEqual(await send('756'), [], 'nothing for the bank');
  assert.equal((await read({ id })).pix.status, 'ACTIVE');
  const alone = await service.post('/charges', boletoBody({ accountId: 'account-756', customer }));
  assert.equal(alone.status, 422, alone.text);
  assert.equal(alone.json.errors[0].path, 'customer.address');
});

/** The first tier has the bank with codes of its own, and one by the norm; of the others only registrations. */
const WHOLLY_TESTED = scaled(BANKS.length) === BANKS.length ? BANKS : ['341', '756'];

for (const bank of BANKS) {
  describe(`the simulated bank ${bank}`, () => {
    test('registers and rejects, with the reason in plain text', async () => {
      const good = await charge(bank, { taxes: { fine: 2, interest: 1 } });
      const customer = { ...(boletoBody()['customer'] as object), document: '529.982.247-24' };
      const bad = await charge(bank, { customer });
      assert.deepEqual(await send(bank), [{ sequence: 1, titles: 2 }]);
      assert.deepEqual(await send(bank), [], 'once');
      assert.deepEqual(await hear(bank), { registered: 1, rejected: 1 });
      assert.equal((await read(good)).boleto.status, 'REGISTERED');
      const { boleto } = await read(bad);
      assert.deepEqual(
        [boleto.status, boleto.reason],
        ['FAILED', 'The bank refused it: 46 invalid document of the payer.'],
      );
    });

    if (!WHOLLY_TESTED.includes(bank)) return;

    test('pays any amount, also after a write-off, and reverses a payment', async () => {
      const reportsReversals = bank !== '341';
      const random = randomOf(SEED, Number(bank));
      const amounts = Array.from({ length: scaled(8, 3) }, () => 1 + random.below(10 ** (1 + random.below(8))));
      const charges: Answer['json'][] = [];
      for (const amountCents of amounts) charges.push(await charge(bank, { amountCents }));
      const [late, back, ...rest] = charges;
      await send(bank);
      assert.deepEqual(await hear(bank), { registered: amounts.length });
      await act(bank, late, 'write_off');
      for (const one of charges) assert.equal((await act(bank, one, 'pay')).json.status, 'paid');
      const reversal = await act(bank, back, 'reverse');
      assert.equal(reversal.status, reportsReversals ? 200 : 409, reversal.text);
      const counts = { written_off: 1, paid: amounts.length, ...(reportsReversals && { reversed: 1 }) };
      assert.deepEqual(await hear(bank), counts);
      for (const [index, one] of rest.entries()) {
        const { state, payments } = await read(one);
        assert.deepEqual(
          [state, payments[0].amountCents, payments[0].feeCents, payments[0].creditDay],
          ['PAID', amounts[index + 2], 190, '2026-11-18'],
        );
      }
      assert.equal((await read(late)).payments[0].cameAfter, 'EXPIRED');
      assert.equal((await read(back)).state, reportsReversals ? 'REFUNDED' : 'PAID');
    });

    test('writes off canceled boletos, and one that it writes off by itself is expired', async () => {
      const [canceled, ended] = [await charge(bank), await charge(bank)];
      await send(bank);
      await hear(bank);
      await service.post(`/charges/${canceled.id}/cancel`, {});
      assert.equal((await send(bank))[0].titles, 1);
      await act(bank, ended, 'write_off');
      assert.deepEqual(await hear(bank), { written_off: 2 });
      assert.deepEqual([(await read(canceled)).state, (await read(ended)).state], ['CANCELED', 'EXPIRED']);
      assert.equal((await act(bank, ended, 'reverse')).status, 409);
    });
  });
}

test('a return can also be downloaded and uploaded', async () => {
  const one = await charge('756');
  await send('756');
  const { json } = await service.post(at('756', 'returns'), { read: false });
  assert.deepEqual([json.read, (await read(one)).boleto.status], [undefined, 'CREATING']);
  const uploaded = await service.send('/boletos/returns', {
    method: 'POST',
    body: Buffer.from(json.file, 'latin1'),
    headers: { 'content-type': 'application/octet-stream' },
  });
  assert.equal(uploaded.status, 201, uploaded.text);
  assert.equal((await read(one)).boleto.status, 'REGISTERED');
});

test('files are also made and returns read by the command line', async t => {
  const folder = await mkdtemp(path.join(tmpdir(), 'trilho-banks-'));
  t.after(() => rm(folder, { recursive: true }));
  const env = { DATABASE_URL: service.databaseUrl, TRILHO_BOLETOS: boletos };
  const one = await charge('341');
  await service.runJobs();
  const { said } = await runCommand(cnabCommand, env, ['write', 'bank341:main', '--folder', folder]);
  assert.match(said, /^bank341:main file \d+: 1 title,/);
  const returned = await service.post(at('341', 'returns'), { read: false });
  const file = path.join(folder, 'return.ret');
  await writeFile(file, Buffer.from(returned.json.file, 'latin1'));
  assert.equal((await runCommand(cnabCommand, env, ['read', file])).code, 0);
  assert.equal((await read(one)).boleto.status, 'CREATING', 'the bank has not received the file from the folder');
});

test("other accounts keep the sandbox's own bank, and an unknown agreement is not found", async () => {
  const made = await service.post('/charges', boletoBody());
  assert.match(made.json.boleto.digitableLine, /^999/);
  assert.equal((await service.send('/sandbox/banks/none/files', { method: 'POST' })).status, 404);
  assert.equal((await act('756', made.json, 'pay')).status, 404);
});

test('the ledger is right in the end', async () => {
  const env = { TRILHO_MODE: 'sandbox', DATABASE_URL: service.databaseUrl };
  assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
});

test('a sandbox accepts no agreement with a real bank, and live none with a simulated one', async () => {
  const boletos = [agreementEntry('756', { test: true }), agreementEntry('341')];
  const env = { TRILHO_BOLETOS: JSON.stringify(boletos) };
  await assert.rejects(
    startService({ env }),
    /^StartError: boletos\[1\] has no test: a sandbox accepts no agreement with a real bank\.$/,
  );
  await assert.rejects(startService({ mode: 'live', env }), /^StartError: boletos\[0\]\.test is for a sandbox\.$/);
});
