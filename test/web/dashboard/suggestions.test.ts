// Money without a charge, with the charges it may be for: by amount, then by name, then by day. One press records it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openCharge } from '../../harness/checkouts.ts';
import { sendForm, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const charge = (name: string, dueAt: string, amountCents = 4_200) =>
  openCharge(service, { amountCents, dueAt, methods: ['pix'], customer: { name, document: '529.982.247-25' } });

const suggestedOn = (page: string) =>
  [...page.matchAll(/<input type="hidden" name="chargeId" value="([^"]+)">/g)].map(([, id]) => id);

test('the charge whose payer the bank names comes first, then the one that is due nearest; one press records the money', async () => {
  const named = await charge('José da Conceição', '2027-03-10T12:00:00Z');
  const near = await charge('Ana Lima', '2026-11-18T12:00:00Z');
  const far = await charge('Bruno Alves', '2027-01-20T12:00:00Z');
  await charge('Carla Dias', '2027-06-20T12:00:00Z');
  await charge('José da Conceição', '2026-11-16T12:00:00Z', 4_201);
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('E9999999920261116130000000000042', '2026-11-16T11:00:00Z', 4200, 'PIX RECEBIDO JOSE CONCEICAO', now())`,
  );
  for (const path of ['', '/unmatched']) assert.deepEqual(suggestedOn(await view(service, path)), [named, near, far]);
  const [form = ''] = /<form method="post" action="\/dashboard\/unmatched\/record">.*?<\/form>/s.exec(
    await view(service, '/unmatched'),
  ) as string[];
  const answer = await sendForm(service, '/unmatched/record', form);
  assert.equal(answer.headers.get('location'), `/dashboard/charges/${named}`);
  const { state, payments } = (await service.get(`/charges/${named}`)).json;
  assert.deepEqual([state, payments.length, payments[0].amountCents], ['PAID', 1, 4_200]);
  assert.deepEqual(suggestedOn(await view(service, '/unmatched')), []);
});
