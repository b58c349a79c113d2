// The pages of disputes: what needs a person, the list, one dispute with its evidence, its forms, and the file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../../harness/bodies.ts';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ now: '2026-12-07T12:00:00.000Z' });
});
after(() => service.stop());

type Disputed = { readonly id: string; readonly chargeId: string };

async function disputed(accountId = 'acme'): Promise<Disputed> {
  const { json } = await service.post('/charges', chargeBody({ accountId, methods: ['pix'] }));
  await service.runJobs();
  await service.post(`/sandbox/charges/${json.id}/pay`, { method: 'pix' });
  const taken = await service.post(`/sandbox/charges/${json.id}/return`, { cause: 'fraud' });
  return { id: taken.json.refunds[0].disputeId, chargeId: json.id };
}

const read = async (id: string) => (await service.get(`/disputes/${id}`)).json;
const page = async (path: string) => textOf(await view(service, path));

test('an open dispute is the first page and its own until its end is recorded', async () => {
  const { id, chargeId } = await disputed();
  const before = await page('');
  assert.match(before, /Open disputes 1 .* R\$ 159\.90 suspected fraud 18 Dec 2026, 09:00 \(estimated\)/);
  const own = await page(`/disputes/${id}`);
  for (const words of ['Dispute of R$ 159.90', 'MED_FRAUDE', 'Blocked now R$ 159.90', 'dispute.opened'])
    assert.ok(own.includes(words), `${words} in ${own}`);
  assert.ok((await view(service, `/charges/${chargeId}`)).includes(`/dashboard/disputes/${id}`));
  const closed = await submit(service, `/disputes/${id}/close`, {
    outcome: 'won',
    reason: 'An e-mail\r\nof the bank.',
  });
  assert.equal(closed.headers.get('location'), `/dashboard/disputes/${id}`);
  assert.deepEqual([(await read(id)).status, (await read(id)).reason], ['won', 'An e-mail\nof the bank.']);
  assert.match(await page(`/disputes/${id}`), /recorded here, not yet reported by the bank/);
  assert.ok(!(await page('')).includes('Open disputes'));
});

test('an estimate stays one until a person changes the day, and a day in the past is marked', async () => {
  const { id } = await disputed('estimates');
  await submit(service, `/disputes/${id}/change`, { blockedUntil: '2026-12-18T09:00', note: 'Ana calls.' });
  assert.deepEqual([(await read(id)).isUntilEstimated, (await read(id)).note], [true, 'Ana calls.']);
  await submit(service, `/disputes/${id}/change`, { blockedUntil: '2026-12-01T10:30', note: '' });
  const changed = await read(id);
  assert.deepEqual(
    [changed.blockedUntil, changed.isUntilEstimated, changed.note],
    ['2026-12-01T13:30:00.000Z', false, undefined],
  );
  assert.match(await page(`/disputes/${id}`), /1 Dec 2026, 10:30 past by 5 days/);
  await submit(service, `/disputes/${id}/change`, { blockedUntil: '' });
  assert.match(await page(`/disputes/${id}`), /unknown: the bank does not report it/);
  await service.post(`/sandbox/disputes/${id}/end`, { outcome: 'kept' });
});

test('evidence is written and uploaded by forms, and erased evidence says so', async () => {
  const { id } = await disputed('evidence');
  assert.equal((await submit(service, `/disputes/${id}/evidence`, { text: 'Signed by the customer.' })).status, 303);
  const file = new File(['%PDF-1.7'], 'nota.pdf', { type: 'application/pdf' });
  assert.equal((await submit(service, `/disputes/${id}/upload`, { file })).status, 303);
  const wrong = await submit(service, `/disputes/${id}/upload`, { file: new File(['MZ'], 'nota.exe') });
  assert.match(textOf(await wrong.text()), /Nothing was done: body must be a file of the type application\/pdf/);
  const shown = await page(`/disputes/${id}`);
  assert.ok(shown.includes('Signed by the customer.') && shown.includes('nota.pdf'));
  assert.match(
    await view(service, `/disputes/${id}`),
    new RegExp(`href="/disputes/${id}/evidence/[-0-9a-f]{36}/content"`),
  );
  await service.sql(
    'update dispute_evidence set content = null, name = null, erased_at = now() where dispute_id = $1',
    [id],
  );
  assert.match(await page(`/disputes/${id}`), /erased/);
});

test('the list is filtered, the search box finds a dispute, and the file has each', async () => {
  const accountId = 'listed';
  const [open, ended] = [await disputed(accountId), await disputed(accountId)];
  await service.post(`/sandbox/disputes/${ended.id}/end`, { outcome: 'returned' });
  const filtered = await view(service, `/disputes?accountId=${accountId}&status=open`);
  assert.ok(filtered.includes(open.id) && !filtered.includes(ended.id));
  const file = await view(service, `/disputes.csv?accountId=${accountId}`);
  assert.match(file, new RegExp(`${ended.id},${accountId},${ended.chargeId},lost,159.90,0.00,fraud,MED_FRAUDE`));
  assert.ok(file.includes(open.id));
  const { returnReference } = await read(open.id);
  for (const text of [open.id, returnReference]) {
    const found = await fetch(`${service.url}/dashboard/search?q=${text}`, { redirect: 'manual' });
    assert.equal(found.headers.get('location'), `/dashboard/disputes/${open.id}`);
  }
});
