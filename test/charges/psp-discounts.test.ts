// Discounts and an abatement of a pix at a PSP: sent in the form of the norm, asked for by the PSP, and paid to the cent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';

let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp();
});
after(() => at.stop());

// Due on Monday, 14 December 2026; now is Monday, 16 November.
const create = (changes: Record<string, unknown>) =>
  at.service.post('/charges', chargeBody({ methods: ['pix'], dueAt: '2026-12-12T23:59:59-03:00', ...changes }));
const read = async (id: string) => (await at.service.get(`/charges/${id}`)).json;

async function sentFor(changes: Record<string, unknown>) {
  const { status, json, text } = await create(changes);
  assert.deepEqual([status, json.pix?.status], [201, 'ACTIVE'], text);
  const charges = at.psp.state().charges as readonly { readonly txid: string; readonly valor: object }[];
  return { json, valor: charges.find(({ txid }) => txid === json.pix.txid)!.valor };
}

async function look(): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await at.service.runJobs();
}

const until = (...days: readonly (readonly [day: string, reduction: object])[]) => ({
  discounts: days.map(([day, reduction]) => ({ until: day, ...reduction })),
});
const BODIES: readonly (readonly [name: string, changes: object, valor: object])[] = [
  [
    'amounts until days',
    until(['2026-11-18', { amountCents: 1_000 }], ['2026-12-12', { amountCents: 500 }]),
    {
      desconto: {
        modalidade: 1,
        descontoDataFixa: [
          { data: '2026-11-18', valorPerc: '10.00' },
          { data: '2026-12-12', valorPerc: '5.00' },
        ],
      },
    },
  ],
  [
    'a percent until a day, and an abatement of an amount',
    { ...until(['2026-11-28', { percent: 5.25 }]), abatement: { amountCents: 345 } },
    {
      abatimento: { modalidade: 1, valorPerc: '3.45' },
      desconto: { modalidade: 2, descontoDataFixa: [{ data: '2026-11-28', valorPerc: '5.25' }] },
    },
  ],
  ['an abatement in percent', { abatement: { percent: 12.5 } }, { abatimento: { modalidade: 2, valorPerc: '12.50' } }],
  [
    'an amount for each calendar day',
    { discounts: [{ amountCents: 100, perDay: 'calendar' }] },
    { desconto: { modalidade: 3, valorPerc: '1.00' } },
  ],
  [
    'an amount for each banking day',
    { discounts: [{ amountCents: 100, perDay: 'banking' }] },
    { desconto: { modalidade: 4, valorPerc: '1.00' } },
  ],
  [
    'a percent for each calendar day',
    { discounts: [{ percent: 0.1, perDay: 'calendar' }] },
    { desconto: { modalidade: 5, valorPerc: '0.10' } },
  ],
  [
    'a percent for each banking day',
    { discounts: [{ percent: 0.1, perDay: 'banking' }] },
    { desconto: { modalidade: 6, valorPerc: '0.10' } },
  ],
];

type Line = { readonly kind: string; readonly amountCents: number };
type Made = {
  readonly name: string;
  readonly day: string;
  readonly id: string;
  readonly emv: string;
  readonly owed: { readonly totalCents: number; readonly lines: readonly Line[] };
};

// Saturday and Monday among them; the last is the day that the due day moves to.
const DAYS = ['2026-11-16', '2026-11-28', '2026-11-30', '2026-12-01', '2026-12-11', '2026-12-14'];

test('the PSP gets each kind as the norm has it, asks on each day for what the service says, and is believed', async () => {
  const made: Made[] = [];
  for (const [name, changes, valor] of BODIES) {
    for (const day of DAYS) {
      const { json, valor: sent } = await sentFor({ ...changes });
      assert.deepEqual(sent, { original: '159.90', ...valor }, name);
      const owed = (await at.service.get(`/charges/${json.id}/amount?on=${day}`)).json.pix;
      made.push({ name, day, owed, id: json.id, emv: json.pix.emv });
    }
  }
  for (const day of DAYS) {
    const today = made.filter(one => one.day === day);
    at.service.clock.set(`${day}T12:00:00-03:00`);
    for (const { emv } of today) await at.psp.pay({ emv });
    await look();
    for (const { id, name, owed } of today) {
      const { state, paidAmount, payments } = await read(id);
      const [{ amountCents, discountCents, abatementCents }] = payments;
      assert.deepEqual([state, paidAmount, amountCents], ['PAID', 'exact', owed.totalCents], `${name}, ${day}`);
      const given = (kind: string) => -(owed.lines.find(line => line.kind === kind)?.amountCents ?? 0) || undefined;
      assert.deepEqual([discountCents, abatementCents], [given('discount'), given('abatement')], `${name}, ${day}`);
    }
  }
});

test('a percent finer than the norm writes is refused by name', async () => {
  const dueAt = '2027-01-10T12:00:00-03:00';
  const refused = await create({ dueAt, ...until(['2026-12-18', { percent: 1.005 }]) });
  assert.deepEqual(
    [refused.status, refused.json.errors[0].path, refused.json.errors[0].code],
    [422, 'discounts[0].percent', 'too_precise'],
  );
});
