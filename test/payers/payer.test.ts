// The data of a payer, exported and erased: nothing in the database names them afterwards, and every proof holds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { auditCommand } from '../../src/cli/audit.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { payerCommand } from '../../src/cli/payer.ts';
import { StartError } from '../../src/lib/errors.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { ADDRESSES, orderDriver } from '../harness/orders.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';

const DOCUMENT = '52998224725';
const NAME = 'Maria Aparecida de Teste';
const MARIA = {
  name: NAME,
  document: '529.982.247-25',
  email: 'maria.aparecida@example.com',
  phone: '+5511987654321',
  address: { street: 'Rua das Acácias', number: '7', city: 'São Paulo', state: 'SP', postalCode: '01001-000' },
};
const OTHER = { name: 'João de Outro', document: '111.444.777-35' };
/** Values that must not be found anywhere any more. */
const TRACES = [
  DOCUMENT,
  '529.982.247-25',
  '982247',
  NAME,
  'maria.aparecida',
  '5511987654321',
  'Acácias',
  'Casamento',
  'noiva',
];

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const payer = (...args: string[]) => runCommand(payerCommand, { DATABASE_URL: service.databaseUrl }, args);

async function create(customer: object, more: object = {}): Promise<string> {
  const { status, json, text } = await service.post('/charges', chargeBody({ customer, ...more }));
  assert.equal(status, 201, text);
  return json.id;
}

/** The tables that have one of these values in any column, as text. */
async function tablesWith(values: readonly string[]): Promise<string[]> {
  const tables = await service.sql<{ name: string }>(
    `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'pgboss') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.sql(`select from ${name} t where t::text like any ($1) limit 1`, [
      values.map(word => `%${word}%`),
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** A receipt from a statement that matches no charge. */
async function keepReceipt(reference: string, words: string, txid?: string): Promise<void> {
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, txid, words, recorded_at)
     values ($1, now(), 4200, $2, $3, now())`,
    [reference, txid, words],
  );
}

async function declare(holder: { readonly name: string; readonly document: string }): Promise<void> {
  const named = { accountId: 'acme', name: 'Cold', network: 'tron', address: ADDRESSES.tron };
  const { id } = (await service.post('/wallets', named)).json;
  const declaration = { holderName: holder.name, holderDocument: holder.document, statement: `Mine, ${holder.name}` };
  assert.equal((await service.post(`/wallets/${id}/declaration`, declaration)).status, 200);
}

const auditLines = () =>
  service.sql<{ action: string; object_id: string | null }>(
    `select action, object_id from audit_log where action like 'trilho payer %'`,
  );

test('the data of a payer is exported, and gone after the erasure, with every proof unchanged', async t => {
  // It echoes the requests in its answers, as some receivers do.
  const receiver = await startReceiver(t, (response, { text }) => response.writeHead(200).end(text));
  assert.equal((await service.post('/webhooks', { url: receiver.url, accountId: 'acme' })).status, 201);
  const notes = { description: 'Casamento', metadata: { guest: 'noiva' } };
  const record = { accountId: 'acme', ...MARIA, notes: 'Casamento', metadata: notes.metadata };
  const onRecord = await service.post('/customers', record);
  const ofOthers = await service.post('/customers', { accountId: 'acme', ...OTHER });
  assert.deepEqual([onRecord.status, ofOthers.status], [201, 201], onRecord.text);
  const paid = await create(MARIA, notes);
  const open = await create(MARIA, { methods: ['pix'] });
  const plan = await service.post('/instalments', {
    ...{
      accountId: 'acme',
      amountCents: 20_000,
      currency: 'BRL',
      count: 2,
      firstDueDay: '2026-12-31',
      methods: ['pix'],
    },
    ...{ customer: MARIA, ...notes },
  });
  assert.equal(plan.status, 201, plan.text);
  const instalments = plan.json.charges.map(({ id }: { id: string }) => id);
  assert.equal((await service.post(`/instalments/${plan.json.id}/cancel`, {})).status, 200);
  const ofOther = await create(OTHER);
  const orders = orderDriver(service);
  const asked = { charge: { customer: MARIA, methods: ['pix'], ...notes }, headers: { 'idempotency-key': 'wedding' } };
  const order = await orders.order(asked);
  assert.equal(order.status, 201, order.text);
  await service.runJobs();
  for (const [id, reference] of [
    [paid, 'E9999999920261116130000000000041'],
    [ofOther, 'E9999999920261116130000000000042'],
  ]) {
    assert.equal((await service.post(`/charges/${id}/payments`, { amountCents: 15_990, reference })).status, 201);
  }
  const taken = await service.post(`/sandbox/charges/${paid}/return`, { cause: 'fraud' });
  const { disputeId } = taken.json.refunds[0];
  const written = { method: 'POST', body: `${NAME} bought it.`, headers: { 'content-type': 'text/plain' } };
  const { id: evidenceId } = (await service.send(`/disputes/${disputeId}/evidence?name=Casamento.txt`, written)).json;
  const closing = { outcome: 'won', reason: `${NAME} withdrew it.` };
  assert.equal((await service.post(`/disputes/${disputeId}/close`, closing)).status, 200);
  const noted = {
    method: 'PATCH',
    body: JSON.stringify({ note: NAME }),
    headers: { 'content-type': 'application/json' },
  };
  assert.equal((await service.send(`/disputes/${disputeId}`, noted)).status, 200);
  await service.sql(`update payments set payer_document = '***982247**' where charge_id = $1`, [paid]);
  await service.sql('update payments set payer_document = $2 where charge_id = $1', [ofOther, DOCUMENT]);
  await keepReceipt('stray', `PIX RECEBIDO ${NAME} 529.982.247-25`);
  await keepReceipt('of two', `PIX DE ${NAME} 529.982.247-25 PARA 12.345.678/0001-95`);
  await keepReceipt('hidden', `PIX ${NAME} ***.982.247-**`, (await service.get(`/charges/${paid}`)).json.pix.txid);
  await keepReceipt('of another', `PIX ${OTHER.name} ${OTHER.document}`);
  await service.sql(
    `insert into notifications (id, rail, body, received_at, handled_at)
     values (gen_random_uuid(), 'efi:main', '{"pix":[{"pagador":{"cpf":"${DOCUMENT}","nome":"${NAME}"}}]}', now(), now())`,
  );
  await declare({ name: NAME, document: DOCUMENT });

  const printed = (await payer('export', '529.982.247-25')).said.split('\n').map(line => JSON.parse(line));
  const kinds = Map.groupBy(printed, ({ kind }) => kind);
  const idsOf = (kind: string) => kinds.get(kind)?.map(({ id, reference }) => id ?? reference);
  const names = [
    'charge',
    'customer',
    'declaration',
    'dispute',
    'event',
    'evidence',
    'instalment_plan',
    'notification',
    'order',
    'payment',
    'receipt',
  ];
  assert.deepEqual([...kinds.keys()].sort(), names);
  assert.deepEqual(idsOf('charge')?.sort(), [paid, open, order.json.charge.id, ...instalments].sort());
  assert.deepEqual(idsOf('order'), [order.json.transactionId]);
  assert.deepEqual(idsOf('instalment_plan'), [plan.json.id]);
  assert.deepEqual(idsOf('dispute'), [disputeId]);
  assert.deepEqual(idsOf('evidence'), [evidenceId]);
  assert.deepEqual(idsOf('customer'), [onRecord.json.id]);
  assert.deepEqual(idsOf('receipt'), ['hidden', 'of two', 'stray']);
  assert.ok(!JSON.stringify(printed).includes(OTHER.name), 'nothing of another payer');

  await assert.rejects(payer('erase', DOCUMENT), (error: unknown) => {
    return error instanceof StartError && error.message.includes(open) && /can still be paid/.test(error.message);
  });
  assert.equal((await service.get(`/charges/${paid}`)).json.customer.name, NAME, 'nothing was erased');
  for (const id of [open, order.json.charge.id]) {
    assert.equal((await service.send(`/charges/${id}/cancel`, { method: 'POST' })).status, 200);
  }
  await service.runJobs();

  const { said } = await payer('erase', DOCUMENT);
  const counts =
    /^Erased: 5 charges, 1 orders, \d+ events, 1 payments, 3 receipts, 1 notifications, 1 declarations, 1 customers\.$/;
  assert.match(said, counts);
  assert.deepEqual(await tablesWith(TRACES), []);
  const erased = { name: 'erased', document: '00000000000', type: 'individual' };
  const { customer, amountCents, payments, description } = (await service.get(`/charges/${paid}`)).json;
  assert.deepEqual(customer, erased);
  assert.deepEqual([amountCents, payments.length, description], [15_990, 1, undefined]);
  const dispute = (await service.get(`/disputes/${disputeId}`)).json;
  assert.deepEqual([dispute.status, dispute.note, dispute.reason], ['won', undefined, undefined]);
  assert.deepEqual([dispute.evidence[0].name, dispute.evidence[0].text], [undefined, undefined]);
  assert.equal((await service.get(`/disputes/${disputeId}/evidence/${evidenceId}/content`)).status, 404);
  assert.deepEqual(await service.sql('select from dispute_evidence where content is not null'), []);
  const repeated = await orders.order(asked);
  assert.equal(repeated.json.transactionId, order.json.transactionId, repeated.text);
  assert.deepEqual(repeated.json.charge.customer, erased);
  assert.deepEqual(
    [repeated.json.exact, repeated.json.charge.amountCents, repeated.json.charge.pix],
    [order.json.exact, order.json.charge.amountCents, order.json.charge.pix],
  );
  assert.equal((await service.get(`/charges/${ofOther}`)).json.customer.name, OTHER.name);
  assert.deepEqual(await tablesWith([OTHER.name]), [
    ...['public.charges', 'public.customers', 'public.events', 'public.unmatched_receipts', 'public.webhook_attempts'],
  ]);
  assert.equal((await payer('export', DOCUMENT)).said, '');
  assert.match((await payer('erase', DOCUMENT)).said, /^Erased: 0 charges, 0 orders, 0 events, 0 /);

  const env = { DATABASE_URL: service.databaseUrl };
  assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
  assert.equal((await runCommand(auditCommand, env, ['verify'])).code, 0);
  const read = (await service.get(`/customers/${onRecord.json.id}`)).json;
  assert.deepEqual([read.name, read.document, read.notes], ['erased', '00000000000', undefined]);
  for (const id of [paid, onRecord.json.id]) {
    const lines = (await auditLines()).filter(line => line.object_id === id);
    assert.deepEqual(lines.map(({ action }) => action).sort(), ['trilho payer erase', 'trilho payer export']);
  }
});

test('an export of a person without a charge is in the audit log too', async () => {
  const before = (await auditLines()).length;
  await payer('export', '390.533.447-05');
  const lines = await auditLines();
  assert.deepEqual(lines.slice(before), [{ action: 'trilho payer export', object_id: null }]);
});

test('an invalid document is refused, and not repeated', async () => {
  for (const wrong of ['529.982.247-26', 'maria']) {
    await assert.rejects(payer('erase', wrong), (error: unknown) => {
      return error instanceof StartError && /must be valid/.test(error.message) && !error.message.includes(wrong);
    });
  }
});
