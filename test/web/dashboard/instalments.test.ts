// The pages of instalments: listed, made, canceled and refunded by forms, and as a file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pay } from '../../harness/checkouts.ts';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const FIELDS = {
  ...{ accountId: 'acme', amount: '1.000,00', currency: 'BRL', count: '3', firstDueDay: '2026-12-31' },
  ...{ methods: 'boleto pix', name: 'Maria da Silva', document: '529.982.247-25' },
};

async function make(fields: Record<string, string> = {}): Promise<string> {
  const made = await submit(service, '/instalments/new', { ...FIELDS, ...fields });
  assert.equal(made.status, 303, textOf(await made.text()));
  await service.runJobs();
  return made.headers.get('location')!.split('/').at(-1)!;
}
const read = async (id: string) => (await service.get(`/instalments/${id}`)).json;

test('a form makes instalments, equal ones or with amounts of their own, and its page shows them', async () => {
  const id = await make({ externalId: 'enrolment-1', description: 'Curso', fine: '2', expireAfterDays: '5' });
  const plan = await read(id);
  assert.deepEqual(
    plan.charges.map(({ amountCents }: { amountCents: number }) => amountCents),
    [33_334, 33_333, 33_333],
  );
  assert.deepEqual([plan.charges[0].taxes, plan.charges[0].expireAt], [{ fine: 2 }, '2027-01-06T02:59:59.000Z']);
  const page = await view(service, `/instalments/${id}`);
  const text = textOf(page);
  for (const words of [
    '3 instalments',
    'R$ 1,000.00',
    'enrolment-1',
    'Maria da Silva',
    '0 of 3',
    'R$ 333.34',
    'Slips as PDF',
  ])
    assert.ok(text.includes(words), `${words} in ${text}`);
  assert.match(textOf(await view(service, `/charges/${plan.charges[1].id}`)), /Instalment 2 of its plan/);
  const own = await make({ count: '', amounts: '500,00\r\n300,00\r\n200,00' });
  assert.deepEqual(
    (await read(own)).charges.map(({ amountCents }: { amountCents: number }) => amountCents),
    [50_000, 30_000, 20_000],
  );
  const refused = await submit(service, '/instalments/new', { ...FIELDS, count: '61' });
  assert.equal(refused.status, 400);
  assert.match(textOf(await refused.text()), /Nothing was done: Instalments must be at most 60/);
});

test('the list finds plans by state, the search box by id, and the file has each', async () => {
  const accountId = 'listed';
  const [open, canceled] = [await make({ accountId, externalId: 'a' }), await make({ accountId, externalId: 'b' })];
  assert.equal((await submit(service, `/instalments/${canceled}/cancel`)).status, 303);
  assert.equal((await read(canceled)).state, 'CANCELED');
  const page = await view(service, `/instalments?accountId=${accountId}&state=OPEN`);
  assert.ok(page.includes(open) && !page.includes(canceled));
  const file = await view(service, `/instalments.csv?accountId=${accountId}`);
  assert.ok(file.includes(open) && file.includes(canceled) && file.includes('1000.00'));
  for (const text of [open, 'b']) {
    const found = await fetch(`${service.url}/dashboard/search?q=${text}`, { redirect: 'manual' });
    assert.equal(found.headers.get('location'), `/dashboard/instalments/${text === 'b' ? canceled : open}`);
  }
});

test('forms refund what was paid and withdraw the link', async () => {
  const id = await make();
  const { charges, checkoutUrl } = await read(id);
  await pay(service, charges[0].id);
  await service.runJobs();
  assert.equal((await submit(service, `/instalments/${id}/refund`)).status, 303);
  await service.runJobs();
  const after = await read(id);
  assert.deepEqual(after.balance.refunded, { count: 1, amountCents: 33_334 });
  assert.equal((await submit(service, `/instalments/${id}/withdraw`)).status, 303);
  assert.notEqual((await read(id)).checkoutUrl, checkoutUrl);
  assert.match(textOf(await view(service, `/instalments/${id}`)), /Sent back R\$ 333\.34 \(1\)/);
});
