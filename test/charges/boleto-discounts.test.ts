// Discounts and an abatement of boletos at banks: by file to the column, and back in a return; and by the APIs of Sicoob and Inter.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { boletoBody } from '../harness/agreements.ts';
import { type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { type ReturnBench, startReturns } from '../harness/return-bench.ts';

const DUE = '2026-12-10T23:59:59-03:00';
const columns = (line: string, from: number, to: number) => line.slice(from - 1, to);
type Refused = {
  readonly status: number;
  readonly json: { readonly errors: readonly { path: string; code: string }[] };
};
const faultsOf = ({ status, json }: Refused) => [status, ...json.errors.map(({ path, code }) => `${path}: ${code}`)];
const dated = (...percents: readonly number[]) =>
  percents.map((percent, index) => ({ percent, until: `2026-12-0${index + 1}` }));

describe('by file', () => {
  let bank: ReturnBench;
  let itau: ReturnBench;
  before(async () => {
    [bank, itau] = await Promise.all([startReturns('756'), startReturns('341')]);
  });
  after(() => Promise.all([bank.stop(), itau.stop()]));

  /** Segments P and R of the only title in the next file. */
  async function segmentsFor(of: ReturnBench, changes: Record<string, unknown>) {
    await of.service.post('/charges', boletoBody({ dueAt: DUE, ...changes }));
    await of.service.runJobs();
    const lines = (await of.textOf((await of.make())!.sequence)).split('\r\n');
    const segment = (name: string) => lines.find(line => line[13] === name) ?? '';
    return { P: segment('P'), R: segment('R') };
  }

  test('amounts until days and an abatement in percent, which is an amount there', async () => {
    const { P, R } = await segmentsFor(bank, {
      abatement: { percent: 2.5 },
      discounts: [
        { amountCents: 1_000, until: '2026-11-30' },
        { amountCents: 500, until: '2026-12-05' },
        { amountCents: 250, until: '2026-12-10' },
      ],
    });
    assert.equal(columns(P, 142, 165), '130112026000000000001000');
    assert.equal(columns(P, 181, 195), '000000000000399');
    assert.equal(columns(R, 18, 65), '105122026000000000000500110122026000000000000250');
  });

  test('a percent for each banking day, counted to the due day', async () => {
    const { P } = await segmentsFor(bank, { discounts: [{ percent: 0.15, perDay: 'banking' }] });
    assert.equal(columns(P, 142, 165), '610122026000000000000015');
    assert.equal(columns(P, 181, 195), '0'.repeat(15));
  });

  test('a kind that the bank does not take, and a percent too fine, are refused by name', async () => {
    const create = (discounts: object) => itau.service.post('/charges', boletoBody({ dueAt: DUE, discounts }));
    assert.deepEqual(faultsOf(await create(dated(5))), [422, 'discounts[0]: not_offered']);
    const { status } = await create([{ amountCents: 100, until: '2026-12-01' }]);
    assert.equal(status, 201);
    const fine = await bank.service.post('/charges', boletoBody({ dueAt: DUE, discounts: dated(0.125) }));
    assert.deepEqual(faultsOf(fine), [422, 'discounts[0].percent: too_many_decimals']);
  });

  test('what the return says was taken off stays with the payment, and what the bank asked for is all', async () => {
    const late = await bank.one({ dueAt: DUE, discounts: [{ amountCents: 1_000, until: '2026-11-17' }] });
    // A day after its last day: the bank has a holiday that the calendar of the country has not.
    bank.service.clock.set('2026-11-18T12:00:00-03:00');
    const longer = bank.paid(late, { paidCents: 14_990n, discountCents: 1_000n });
    assert.deepEqual(await bank.outcomes(bank.entry(late, '02'), longer), { registered: 1, paid: 1 });
    const { state, paidAmount, payments } = await bank.charge(late);
    assert.deepEqual([state, paidAmount, payments[0].discountCents], ['PAID', 'exact', 1_000]);
    const short = await bank.one({ dueAt: DUE, abatement: { amountCents: 990 } });
    const paid = bank.paid(short, { paidCents: 15_000n, abatementCents: 990n });
    await bank.outcomes(bank.entry(short, '02'), paid);
    const charge = await bank.charge(short);
    assert.deepEqual([charge.state, charge.paidAmount, charge.payments[0].abatementCents], ['PAID', 'exact', 990]);
  });

  test('a larger discount than the charge has is not believed', async () => {
    const charge = await bank.one({ dueAt: DUE, discounts: [{ amountCents: 1_000, until: '2026-12-01' }] });
    const paid = bank.paid(charge, { paidCents: 13_990n, discountCents: 2_000n });
    await bank.outcomes(bank.entry(charge, '02'), paid);
    assert.equal((await bank.charge(charge)).state, 'PARTIALLY_PAID');
  });
});

describe('by the API of Sicoob', () => {
  let at: ServiceAtBank;
  before(async () => {
    at = await startServiceAtBank('sicoob');
  });
  after(() => at.stop());

  test('all kinds are sent by the codes of the bank, which asks for what the service says', async () => {
    const terms = {
      abatement: { amountCents: 990 },
      discounts: [
        { percent: 10, until: '2026-11-18' },
        { percent: 5, until: '2026-12-10' },
      ],
    };
    const { json, text } = await at.create({ dueAt: DUE, ...terms });
    assert.equal(json.boleto?.status, 'REGISTERED', text);
    const { request } = at.title(json.boleto.digitableLine);
    const { valorAbatimento, tipoDesconto, dataPrimeiroDesconto, valorPrimeiroDesconto, ...others } = request as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [valorAbatimento, tipoDesconto, dataPrimeiroDesconto, valorPrimeiroDesconto],
      [9.9, 2, '2026-11-18', 10],
    );
    assert.deepEqual([others['dataSegundoDesconto'], others['valorSegundoDesconto']], ['2026-12-10', 5]);
    at.psp.payTitle({ line: json.boleto.digitableLine });
    await at.look();
    const { state, paidAmount, payments } = await at.read(json.id);
    assert.deepEqual([state, paidAmount, payments[0].amountCents], ['PAID', 'exact', 13_500]);
    const perDay = await at.create({ dueAt: DUE, discounts: [{ amountCents: 10, perDay: 'calendar' }] });
    assert.equal((at.title(perDay.json.boleto.digitableLine).request as Record<string, unknown>)['tipoDesconto'], 3);
  });

  test('its due date stays', async () => {
    const { json } = await at.create({ dueAt: DUE, discounts: dated(5) });
    const refused = await at.service.post(`/charges/${json.id}/due-date`, { dueAt: '2026-12-20T23:59:59-03:00' });
    assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
  });
});

describe('by the API of Inter', () => {
  let at: ServiceAtBank;
  before(async () => {
    at = await startServiceAtBank('inter');
  });
  after(() => at.stop());

  test('one discount is sent as days before the due day', async () => {
    const { json, text } = await at.create({ dueAt: DUE, discounts: [{ amountCents: 1_234, until: '2026-12-03' }] });
    assert.equal(json.boleto?.status, 'REGISTERED', text);
    const { desconto } = at.title(json.boleto.digitableLine).request as Record<string, unknown>;
    assert.deepEqual(desconto, { codigo: 'VALORFIXODATAINFORMADA', valor: 12.34, quantidadeDias: 7 });
    at.psp.payTitle({ line: json.boleto.digitableLine });
    await at.look();
    const { state, payments } = await at.read(json.id);
    assert.deepEqual([state, payments[0].amountCents], ['PAID', 14_756]);
  });

  test('what the bank does not take is refused by name', async () => {
    const create = (changes: object) => at.create({ dueAt: DUE, ...changes });
    assert.deepEqual(faultsOf(await create({ abatement: { percent: 5 } })), [422, 'abatement: not_offered']);
    assert.deepEqual(faultsOf(await create({ discounts: dated(5, 4) })), [422, 'discounts[1]: not_offered']);
    const perDay = [{ percent: 0.1, perDay: 'calendar' }];
    assert.deepEqual(faultsOf(await create({ discounts: perDay })), [422, 'discounts[0].perDay: not_offered']);
  });
});
