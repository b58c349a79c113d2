// The page of an instalment plan: the next one due first, in two languages, at a link of its own that can be withdrawn.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pay } from '../harness/checkouts.ts';
import { pdfText } from '../harness/pictures.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

type Plan = { id: string; checkoutUrl: string; charges: { id: string; checkoutUrl: string }[] };

async function create(changes: Record<string, unknown> = {}): Promise<Plan> {
  const made = await service.post('/instalments', {
    ...{ accountId: 'acme', description: 'Curso de inglês', amountCents: 100_000, currency: 'BRL', count: 3 },
    ...{ firstDueDay: '2026-12-31', methods: ['boleto', 'pix'] },
    customer: { name: 'Maria da Silva', document: '52998224725' },
    ...changes,
  });
  assert.equal(made.status, 201, made.text);
  await service.runJobs();
  return made.json;
}

const pathOf = ({ checkoutUrl }: { checkoutUrl: string }) => new URL(checkoutUrl).pathname;
const open = (path: string, language = 'en') => fetch(service.url + path, { headers: { 'accept-language': language } });
async function textOf(plan: Plan, language?: string): Promise<{ page: string; text: string }> {
  const answer = await open(pathOf(plan), language);
  const page = await answer.text();
  assert.equal(answer.status, 200, page);
  const text = page
    .replace(/^[\s\S]*<body/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  return { page, text };
}

test('the next instalment due comes first, then all of them with their own checkouts', async () => {
  const plan = await create();
  const { page, text } = await textOf(plan);
  assert.match(
    text,
    /Next instalment 0 of 3 instalments paid Curso de inglês R\$ 333\.34 Instalment 1\/3 · Due on 31 Dec 2026/,
  );
  assert.match(text, /Charged to Maria d\. S\., \*\*\*\.982\.247-\*\*/);
  assert.match(text, /Instalment 2\/3 Due on 31 Jan 2027 R\$ 333\.33 Waiting for payment/);
  for (const charge of plan.charges) assert.ok(page.includes(`href="${pathOf(charge)}?lang=en"`), charge.id);
  await pay(service, plan.charges[0]!.id);
  await service.runJobs();
  const next = await textOf(plan);
  assert.match(next.text, /Next instalment 1 of 3 instalments paid Curso de inglês R\$ 333\.33 Instalment 2\/3/);
  assert.match(next.text, /Instalment 1\/3 Due on 31 Dec 2026 R\$ 333\.34 Payment received/);
  for (const { id } of plan.charges.slice(1)) await pay(service, id);
  await service.runJobs();
  assert.match((await textOf(plan)).text, /All is well: nothing left to pay 3 of 3 instalments paid/);
});

test('the rest of an instalment that was paid in part is one to pay, and is among the slips', async () => {
  const plan = await create();
  const [first] = plan.charges;
  await pay(service, first!.id, { method: 'pix', amountCents: 30_000 });
  assert.match((await textOf(plan)).text, /Next instalment .* Instalment 2\/3 · .*Instalment 1\/3 .* Received in part/);
  const rest = (await service.post(`/charges/${first!.id}/remainder`, {})).json;
  await service.runJobs();
  const { page, text } = await textOf(plan);
  assert.match(text, /R\$ 33\.34 Rest of instalment 1\/3 · Due on 31 Dec 2026 .* Pay: Rest of instalment 1\/3/);
  const { checkoutUrl, boleto } = (await service.get(`/charges/${rest.id}`)).json;
  assert.ok(page.includes(`href="${pathOf({ checkoutUrl })}?lang=en"`));
  const slips = await fetch(`${service.url}/instalments/${plan.id}/slips.pdf`);
  const printed = (await pdfText(Buffer.from(await slips.arrayBuffer()))).replaceAll(/[^\d]/g, '');
  assert.ok(printed.includes(boleto.digitableLine));
  await pay(service, rest.id);
  await service.runJobs();
  const paid = await textOf(plan, 'pt-BR');
  assert.match(paid.text, /Próxima parcela 1 de 3 parcelas pagas .* Parcela 2\/3 · /);
  assert.doesNotMatch(paid.text, /Restante/);
});

test('the first one is the one that is due first, also after its due date has moved', async () => {
  const plan = await create({ methods: ['pix'] });
  const moved = await service.post(`/charges/${plan.charges[0]!.id}/due-date`, { dueAt: '2027-02-10T23:59:59-03:00' });
  assert.equal(moved.status, 200, moved.text);
  assert.match((await textOf(plan)).text, /Next instalment .* Instalment 2\/3 · Due on 31 Jan 2027 Charged to/);
});

test('the page speaks Portuguese, and says when it was canceled', async () => {
  const plan = await create();
  assert.match(
    (await textOf(plan, 'pt-BR')).text,
    /Próxima parcela 0 de 3 parcelas pagas .* Parcela 1\/3 · Vence em 31\/12\/2026/,
  );
  await service.post(`/instalments/${plan.id}/cancel`, {});
  const { text } = await textOf(plan, 'pt-BR');
  assert.match(text, /Carnê cancelado/);
  assert.doesNotMatch(text, /Pagar:/);
});

test('the slips at the link name the payer as the page does', async () => {
  const plan = await create();
  const { page } = await textOf(plan);
  assert.ok(page.includes(`href="${pathOf(plan)}/slips.pdf"`));
  const answer = await open(`${pathOf(plan)}/slips.pdf`);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf']);
  const text = await pdfText(Buffer.from(await answer.arrayBuffer()));
  assert.ok(text.includes('Maria d. S.') && !text.includes('Maria da Silva') && !text.includes('529.982'));
  const pixOnly = await create({ methods: ['pix'] });
  assert.ok(!(await textOf(pixOnly)).page.includes('slips.pdf'));
});

test('a link that is forged, of a charge, or withdrawn opens nothing', async () => {
  const plan = await create();
  const path = pathOf(plan);
  const ofCharge = pathOf(plan.charges[0]!).replace('/pay/', '/pay/instalments/');
  const asCharge = path.replace('/pay/instalments/', '/pay/');
  for (const wrong of [path.slice(0, -1), ofCharge, asCharge, '/pay/instalments/x', `/pay/instalments/${plan.id}`]) {
    assert.equal((await open(wrong)).status, 404, wrong);
  }
  const withdraw = () => service.post(`/instalments/${plan.id}/checkout/withdraw`, { checkoutUrl: plan.checkoutUrl });
  const withdrawn = await withdraw();
  assert.equal(withdrawn.status, 200, withdrawn.text);
  assert.equal((await open(path)).status, 404);
  assert.equal((await open(pathOf(withdrawn.json))).status, 200);
  assert.equal((await withdraw()).json.code, 'wrong_state');
  const other = await create();
  const wrong = await service.post(`/instalments/${plan.id}/checkout/withdraw`, { checkoutUrl: other.checkoutUrl });
  assert.deepEqual([wrong.status, wrong.json.errors[0].path], [400, 'checkoutUrl']);
});
