// What is kept of a payer, printed for them, and erased: nothing in the database names them afterwards, and every proof holds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { auditCommand } from '../../src/cli/audit.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { payerCommand } from '../../src/cli/payer.ts';
import { StartError } from '../../src/lib/errors.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { ADDRESSES } from '../harness/orders.ts';
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
/** What must not be found any more, wherever it stood. */
const TRACES = [DOCUMENT, '529.982.247-25', NAME, 'maria.aparecida', '5511987654321', 'Acácias', 'Casamento', 'noiva'];

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

/** The tables that hold one of these words in any column, as text. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const tables = await service.sql<{ name: string }>(
    `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname in ('public', 'pgboss') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.sql(`select from ${name} t where t::text like any ($1) limit 1`, [
      words.map(word => `%${word}%`),
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('what is kept of a payer is printed, and gone when it is erased, with every proof as it was', async () => {
  const notes = { description: 'Casamento', metadata: { guest: 'noiva' } };
  const paid = await create(MARIA, notes);
  const open = await create(MARIA, { methods: ['pix'] });
  const ofOther = await create(OTHER);
  await service.runJobs();
  const reference = 'E9999999920261116130000000000041';
  assert.equal((await service.post(`/charges/${paid}/payments`, { amountCents: 15_990, reference })).status, 201);
  await service.sql('update payments set payer_document = $1', [DOCUMENT]);
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('stray', now(), 4200, 'PIX RECEBIDO ${NAME} 529.982.247-25', now())`,
  );
  await service.sql(
    `insert into notifications (id, rail, body, received_at, handled_at)
     values (gen_random_uuid(), 'efi:main', '{"pix":[{"pagador":{"cpf":"${DOCUMENT}","nome":"${NAME}"}}]}', now(), now())`,
  );
  const wallet = await service.post('/wallets', {
    accountId: 'acme',
    name: 'Cold',
    network: 'tron',
    address: ADDRESSES.tron,
  });
  const declaration = { holderName: NAME, holderDocument: DOCUMENT, statement: `Mine, ${NAME}` };
  assert.equal((await service.post(`/wallets/${wallet.json.id}/declaration`, declaration)).status, 200);

  const printed = (await payer('export', '529.982.247-25')).said.split('\n').map(line => JSON.parse(line));
  const kinds = Map.groupBy(printed, ({ kind }) => kind);
  assert.deepEqual([...kinds.keys()].sort(), ['charge', 'declaration', 'event', 'notification', 'payment', 'receipt']);
  assert.deepEqual(
    kinds
      .get('charge')
      ?.map(({ id }) => id)
      .sort(),
    [paid, open].sort(),
  );
  assert.ok(!JSON.stringify(printed).includes(OTHER.name), 'nothing of another payer');

  await assert.rejects(payer('erase', DOCUMENT), (error: unknown) => {
    return error instanceof StartError && error.message.includes(open) && /can still be paid/.test(error.message);
  });
  assert.equal((await service.get(`/charges/${paid}`)).json.customer.name, NAME, 'nothing was erased');
  assert.equal((await service.send(`/charges/${open}/cancel`, { method: 'POST' })).status, 200);
  await service.runJobs();

  const { said } = await payer('erase', DOCUMENT);
  assert.match(said, /^Erased: 2 charges, \d+ events, 1 payments, 1 receipts, 1 notifications, 1 declarations\.$/);
  assert.deepEqual(await tablesWith(TRACES), []);
  const { customer, amountCents, payments, description } = (await service.get(`/charges/${paid}`)).json;
  assert.deepEqual(customer, { name: 'erased', document: '00000000000', type: 'individual' });
  assert.deepEqual([amountCents, payments.length, description], [15_990, 1, undefined]);
  assert.equal((await service.get(`/charges/${ofOther}`)).json.customer.name, OTHER.name);
  assert.equal((await payer('export', DOCUMENT)).said, '');
  assert.match((await payer('erase', DOCUMENT)).said, /^Erased: 0 charges, 0 events, 0 /);

  const env = { DATABASE_URL: service.databaseUrl };
  assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
  assert.equal((await runCommand(auditCommand, env, ['verify'])).code, 0);
  const lines = await service.sql<{ action: string; object_id: string }>(
    `select action, object_id from audit_log where action like 'trilho payer %' and object_id = $1`,
    [paid],
  );
  assert.deepEqual(lines.map(({ action }) => action).sort(), ['trilho payer erase', 'trilho payer export']);
});

test('a document that is none is refused, and not repeated', async () => {
  for (const wrong of ['529.982.247-26', 'maria']) {
    await assert.rejects(payer('erase', wrong), (error: unknown) => {
      return error instanceof StartError && /must be a valid one/.test(error.message) && !error.message.includes(wrong);
    });
  }
});
