// The seam of methods: a file, its rail, its place on the checkout and three lines add one, as docs/adding-a-rail.md says, and it is used to
// the end: charged, shown, paid, refunded, listed, exported, and counted among the money of the day.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { pathOf, pay } from '../harness/checkouts.ts';
import { testClock } from '../harness/clock.ts';
import { textOf, view } from '../harness/dashboard.ts';
import { asAdmin, createDatabase, type TestDatabase } from '../harness/databases.ts';
import type { Service } from '../harness/service.ts';
import { withLines } from '../harness/with-lines.ts';

const urlOf = (file: string) => new URL(`../fixtures/ted/${file}`, import.meta.url);

const project = withLines('ted', [
  {
    list: '/src/rails/methods/methods.ts',
    after: 'LISTED = [',
    entry: 'ted',
    imports: 'ted',
    from: urlOf('method.ts').href,
  },
  {
    list: '/src/sandbox/rails.ts',
    after: 'sandboxRails: Rails = { ',
    entry: 'ted: tedRail',
    imports: 'tedRail',
    from: urlOf('rail.ts').href,
  },
  {
    list: '/src/web/checkout/ways/ways.ts',
    after: 'Way<M> } = { ',
    entry: 'ted: tedWay',
    imports: 'tedWay',
    from: urlOf('way.ts').href,
  },
]);
let database: TestDatabase;
let service: Service;
before(async () => {
  const { startService } = (await project.load('service.ts')) as typeof import('../harness/service.ts');
  database = await createDatabase();
  await asAdmin(readFileSync(urlOf('ted.sql'), 'utf8'), new URL(database.url).pathname.slice(1));
  service = await startService({
    beside: { databaseUrl: database.url, clock: testClock('2026-11-16T12:00:00.000Z') },
  });
});
after(async () => {
  await service.stop();
  await database.drop();
  project.end();
});

const TAXES = { fine: 2, interest: 1 };

async function charge(changes: Record<string, unknown> = {}): Promise<string> {
  const { status, json, text } = await service.post('/charges', chargeBody({ methods: ['ted'], ...changes }));
  assert.equal(status, 201, text);
  assert.equal(json.ted.success, true);
  assert.equal(json.ted.status, 'CREATING');
  await service.runJobs();
  return json.id;
}

const read = async (id: string) => (await service.get(`/charges/${id}`)).json;

test('a charge is made with it, registered at its rail, paid and refunded', async () => {
  const id = await charge();
  const open = await read(id);
  assert.equal(open.state, 'ACTIVE');
  assert.equal(open.ted.status, 'ACTIVE');
  assert.match(open.ted.purpose, /^TRILHO \w{12}$/);
  await pay(service, id, { method: 'ted' });
  const paid = await read(id);
  assert.deepEqual([paid.state, paid.ted.receivedCents], ['PAID', 15_990]);
  assert.equal((await service.post(`/charges/${id}/refunds`, { amountCents: 90 })).status, 201);
  await service.runJobs();
  assert.equal((await read(id)).ted.status, 'PARTIALLY_REFUNDED');
  const { json } = await service.get(`/events?objectId=${id}`);
  assert.deepEqual(
    json.events.map(({ type }: { type: string }) => type),
    ['charge.created', 'charge.active', 'charge.paid', 'charge.refund_requested', 'charge.refunded'],
  );
});

test('paid by it, the other methods of a charge end; late, it asks for fine and interest by its own rules', async () => {
  const id = await charge({ methods: ['ted', 'boleto', 'pix'], dueAt: '2026-11-09T12:00:00Z', taxes: TAXES });
  const { ted, boleto } = (await service.get(`/charges/${id}/amount`)).json;
  assert.equal(ted.payable, true);
  assert.ok(ted.totalCents > 15_990 && ted.totalCents === boleto.totalCents);
  await pay(service, id, { method: 'ted' });
  const paid = await read(id);
  assert.deepEqual(
    [paid.state, paid.timing, paid.ted.status, paid.boleto.status, paid.pix.status],
    ['PAID', 'late', 'PAID', 'PAID_BY_OTHER_METHOD', 'PAID_BY_OTHER_METHOD'],
  );
});

test('its rail refuses what it cannot carry, and a method that is not listed is refused with the names of all', async () => {
  const { status, json } = await service.post('/charges', chargeBody({ methods: ['ted'], amountCents: 99 }));
  assert.equal(status, 422);
  assert.match(JSON.stringify(json), /must be at least 100 for a ted/);
  const { json: faults } = await service.post('/charges', chargeBody({ methods: ['doc'] }));
  assert.deepEqual(
    faults.errors.map(({ path, message }: Record<string, string>) => [path, message]),
    [['methods[0]', 'must be one of ted, boleto, pix']],
  );
});

test('the checkout shows it among the ways to pay, and its receipt', async () => {
  const id = await charge({ methods: ['ted', 'boleto'] });
  const pageOf = async () => textOf(await (await fetch(`${service.url}${await pathOf(service, id)}?lang=en`)).text());
  const page = await pageOf();
  assert.match(page, /TED Arrives in minutes on banking days/);
  assert.match(page, /Bank 999, account 0001 12345-6/);
  assert.ok(page.indexOf('Arrives in minutes') < page.indexOf('Confirmed by the next banking day'), 'the faster first');
  await pay(service, id, { method: 'ted' });
  assert.match(await pageOf(), /Paid by TED/);
});

test('the dashboard finds, exports and counts what was paid by it', async () => {
  const [paid, unpaid] = [await charge(), await charge()];
  await pay(service, paid, { method: 'ted' });
  const list = await view(service, '/charges?method=paid_ted&pageSize=100');
  assert.ok(list.includes(paid) && !list.includes(unpaid));
  const csv = await (await fetch(`${service.url}/dashboard/charges.csv?method=ted`)).text();
  assert.ok(csv.includes(paid) && csv.includes(unpaid));
  assert.match(textOf(await view(service, `/charges/${paid}`)), /ted/);
  assert.match(textOf(await view(service, '')), /Ted R\$ [1-9]/);
});

test('the document has its result beside those of the others', async () => {
  const { json } = await service.get('/openapi.json');
  const { Charge, TedResult, NewCharge } = json.components.schemas;
  assert.equal(Charge.properties.ted.$ref, '#/components/schemas/TedResult');
  assert.ok(TedResult.properties.purpose);
  assert.ok(NewCharge.properties.methods.items.enum.includes('ted'));
});
