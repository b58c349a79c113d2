// Importing statements: what pays a charge, what waits for a person, and that one pix read twice is counted once.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { openLinks } from '../../src/charges/links/links.ts';
import { startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { importStatement } from '../../src/charges/statements/statement.ts';
import { readConfig } from '../../src/config/config.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { readStatement } from '../../src/rails/statement/statement.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { silentLog } from '../harness/log.ts';
import { pixCharges } from '../harness/pix-charges.ts';
import { type Service, startService } from '../harness/service.ts';

const KEY = {
  TRILHO_MODE: 'live',
  TRILHO_PIX_KEY: 'financeiro@example.com',
  TRILHO_PIX_NAME: 'Padaria São João',
  TRILHO_PIX_CITY: 'Belo Horizonte',
};
const NOTHING = {
  matched: 0,
  differing: 0,
  repeated: 0,
  duplicate: 0,
  returned: 0,
  unmatched: 0,
  known: 0,
  outgoing: 0,
};

let service: Service;
before(async () => {
  service = await startService({
    mode: 'live',
    rails: liveRails(readConfig(KEY), { clock: systemClock, log: silentLog }).rails,
  });
});
after(() => service.stop());

const { make, read, report } = pixCharges(() => service);
type Unmatched = { reference: string; reason: string; duplicateOf?: string; chargeId?: string; amountCents: number };
/** The list; each test has an amount of its own. */
const unmatched = async (amountCents: number): Promise<Unmatched[]> => {
  const { json } = await service.get('/payments/unmatched?pageSize=100');
  return json.payments.filter((payment: Unmatched) => payment.amountCents === amountCents);
};
const dismiss = (reference: string) => service.post('/payments/unmatched/dismiss', { reference });

type Taking = { readonly faultLines?: readonly number[]; readonly lockTimeoutMs?: number };

/** Fails unless exactly the given lines are faults. */
async function takeIn(
  bytes: Buffer,
  format: 'csv' | 'ofx' = 'csv',
  { faultLines = [], lockTimeoutMs = 0 }: Taking = {},
) {
  const { entries, faults } = readStatement(bytes, format, { debitsHaveMinus: format === 'csv' });
  assert.deepEqual(
    faults.map(({ line }) => line),
    faultLines,
  );
  const connection = { connectionString: service.databaseUrl, lock_timeout: lockTimeoutMs };
  const db = openDatabase({ connection, log: silentLog });
  const { clock } = service;
  const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
  const links = await openLinks(db, () => service.url);
  const deps = {
    db,
    clock,
    paymentBatches: startPaymentBatches({ db, queue, links, chargeFollowers: CHARGE_FOLLOWERS, clock }),
  };
  try {
    return (await importStatement(deps, entries)).counts;
  } finally {
    await queue.stop();
    await db.close();
  }
}

/** With the pix system's ids, and without. */
const csv = (rows: string[]) => Buffer.from(['data;valor;descrição;endToEndId', ...rows].join('\r\n'));
const plainCsv = (rows: string[]) => Buffer.from(['data;valor;histórico', ...rows].join('\n'));
const ofx = (entries: { cents: number; id: string; memo: string; day?: string }[]) =>
  Buffer.from(
    `<OFX><STMTRS><CURDEF>BRL<BANKTRANLIST>${entries
      .map(
        ({ cents, id, memo, day = '20261116' }) =>
          `<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>${day}<TRNAMT>${(cents / 100).toFixed(2)}<FITID>${id}<MEMO>${memo}</STMTTRN>`,
      )
      .join('')}</BANKTRANLIST></STMTRS></OFX>`,
  );
let count = 0;
const endToEndId = () => `E9999999920261116120000000001${String(++count).padStart(3, '0')}`;

test('a statement pays charges by their txid, keeps the rest, and changes nothing the second time', async () => {
  const exact = await make();
  const less = await make();
  const bytes = csv([
    `16/11/2026;159,90;PIX RECEBIDO ${exact.pix.txid};E9999999920261116120000000000011`,
    `16/11/2026;100,00;PIX RECEBIDO ${less.pix.txid.toLowerCase()};E9999999920261116120000000000012`,
    '16/11/2026;42,00;PIX RECEBIDO DE ALGUEM;E9999999920261116120000000000013',
    '16/11/2026;-10,00;TARIFA;',
  ]);
  assert.deepEqual(await takeIn(bytes), { ...NOTHING, matched: 1, differing: 1, unmatched: 1, outgoing: 1 });
  assert.deepEqual(await takeIn(bytes), { ...NOTHING, known: 3, outgoing: 1 });
  const paid = await read(exact.id);
  assert.equal(`${paid.state} ${paid.timing} ${paid.paidAmount}`, 'PAID on_time exact');
  const partly = await read(less.id);
  assert.equal(`${partly.state} ${partly.paidAmount}`, 'PARTIALLY_PAID partial');
  const [kept] = await unmatched(4_200);
  assert.equal(kept?.reference, 'E9999999920261116120000000000013');
  assert.equal(kept?.reason, 'no_match');
  // An operator knows which charge it is for, and the statement does not bring it back.
  const { id } = await make();
  await report(id, { amountCents: 4_200, reference: 'E9999999920261116120000000000013' });
  assert.deepEqual(await unmatched(4_200), []);
  assert.deepEqual(await takeIn(bytes), { ...NOTHING, known: 3, outgoing: 1 });
  assert.deepEqual(await unmatched(4_200), []);
});

test('an entry that contradicts a reported payment waits for a person', async () => {
  const { id, pix } = await make();
  await report(id, { amountCents: 10, reference: 'E9999999920261116120000000000031' });
  const counts = await takeIn(csv([`16/11/2026;159,90;PIX ${pix.txid};E9999999920261116120000000000031`, MINUS]));
  assert.deepEqual(counts, { ...NOTHING, unmatched: 1, outgoing: 1 });
  const kept = await unmatched(15_990);
  assert.ok(kept.some(({ reference }) => reference === 'E9999999920261116120000000000031'));
});

test('a pix reported by a statement and by an operator is one payment', async () => {
  const { id, pix } = await make();
  await report(id, { amountCents: 15_990, reference: 'E9999999920261116120000000000021' });
  const counts = await takeIn(csv([`16/11/2026;159,90;PIX ${pix.txid};E9999999920261116120000000000021`, MINUS]));
  assert.deepEqual(counts, { ...NOTHING, known: 1, outgoing: 1 });
  assert.equal((await read(id)).payments.length, 1);
});

/** A debit with its sign, so that the other amounts of the file are known to be credits. */
const MINUS = '16/11/2026;-1,00;TARIFA;';
const PLAIN_MINUS = '16/11/2026;-1,00;TARIFA';

describe('one pix that is read twice', () => {
  test('from a CSV without an id and from an OFX is one payment and a possible duplicate', async () => {
    const { id, pix } = await make({ amountCents: 20_001 });
    const first = plainCsv([`16/11/2026;200,01;PIX RECEBIDO ${pix.txid}`, PLAIN_MINUS]);
    const second = ofx([{ cents: 20_001, id: 'N1', memo: `Pix ${pix.txid} ${endToEndId()}` }]);
    assert.deepEqual(await takeIn(first), { ...NOTHING, matched: 1, outgoing: 1 });
    assert.deepEqual(await takeIn(second, 'ofx'), { ...NOTHING, duplicate: 1 });
    assert.deepEqual(await takeIn(second, 'ofx'), { ...NOTHING, known: 1 });
    assert.deepEqual(await takeIn(first), { ...NOTHING, known: 1, outgoing: 1 });
    const charge = await read(id);
    assert.equal(`${charge.paidAmount} ${charge.payments.length}`, 'exact 1');
    const [kept, ...others] = await unmatched(20_001);
    assert.deepEqual(others, []);
    assert.equal(kept?.reason, 'possible_duplicate');
    assert.equal(kept?.duplicateOf, charge.payments[0].reference);
    assert.equal(kept?.chargeId, id);
  });

  test('may still be recorded by a person, and is then a repeat payment', async () => {
    const { id, pix } = await make({ amountCents: 20_002 });
    const second = ofx([{ cents: 20_002, id: 'N2', memo: `Pix ${pix.txid}` }]);
    await takeIn(csv([`16/11/2026;200,02;PIX ${pix.txid};${endToEndId()}`, MINUS]));
    assert.equal((await takeIn(second, 'ofx')).duplicate, 1);
    const [kept] = await unmatched(20_002);
    const recorded = await report(id, { amountCents: 20_002, reference: kept?.reference });
    assert.equal(recorded.status, 201, recorded.text);
    assert.deepEqual(
      recorded.json.payments.map(({ isRepeat }: { isRepeat: boolean }) => isRepeat),
      [false, true],
    );
    assert.deepEqual(await unmatched(20_002), []);
    assert.deepEqual(await takeIn(second, 'ofx'), { ...NOTHING, known: 1 });
  });

  test('may be dismissed, and then does not come back', async () => {
    const { id, pix } = await make({ amountCents: 20_003 });
    const second = ofx([{ cents: 20_003, id: 'N3', memo: `Pix ${pix.txid}` }]);
    await report(id, { amountCents: 20_003, reference: endToEndId() });
    assert.equal((await takeIn(second, 'ofx')).duplicate, 1);
    const [kept] = await unmatched(20_003);
    const first = await dismiss(kept?.reference ?? '');
    assert.equal(first.status, 200, first.text);
    assert.equal(first.json.decidedAt, service.clock.now().toISOString());
    assert.deepEqual((await dismiss(kept?.reference ?? '')).json, first.json);
    assert.deepEqual(await unmatched(20_003), []);
    assert.deepEqual(await takeIn(second, 'ofx'), { ...NOTHING, known: 1 });
    assert.deepEqual(await unmatched(20_003), []);
    assert.equal((await read(id)).payments.length, 1);
    assert.equal((await dismiss('unknown')).status, 404);
    assert.equal((await service.post('/payments/unmatched/dismiss', {})).status, 400);
  });

  test('may be dismissed in any spelling, and the audit log names it', async () => {
    const reference = 'E999999992026111612000000000aB01';
    await takeIn(csv([`16/11/2026;200,04;PIX RECEBIDO;${reference}`]));
    const dismissed = await dismiss(` ${reference.toLowerCase()} `);
    assert.equal(dismissed.status, 200, dismissed.text);
    assert.equal(dismissed.json.reference, reference);
    assert.deepEqual(await unmatched(20_004), []);
    const inbox = `select action from audit_inbox where object_id = $1`;
    assert.deepEqual(await service.sql(inbox, [reference]), [{ action: 'POST /payments/unmatched/dismiss' }]);
  });

  test('is not taken off the list with another receipt that differs in case alone', async () => {
    const [first, second] = ['E999999992026111612000000000aB02', 'E999999992026111612000000000Ab02'];
    // From before references were compared without case.
    await takeIn(csv([`16/11/2026;200,07;PIX RECEBIDO;${first}`]));
    await service.sql(
      `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
       select $2, posted_at, amount_cents, words, recorded_at from unmatched_receipts where reference = $1`,
      [first, second],
    );
    const left = async () => (await unmatched(20_007)).map(({ reference }) => reference);
    assert.equal((await dismiss(first.toLowerCase())).status, 404);
    assert.equal((await left()).length, 2);
    assert.equal((await dismiss(first)).json.reference, first);
    assert.deepEqual(await left(), [second]);
    const { id } = await make({ amountCents: 20_007 });
    assert.equal((await report(id, { amountCents: 20_007, reference: second })).status, 201);
    assert.deepEqual(await left(), []);
  });

  test('is matched by the reference that a person reported, in any spelling, also without a txid', async () => {
    const reference = 'E999999992026111612000000000aB03';
    const { id } = await make({ amountCents: 20_008 });
    await report(id, { amountCents: 20_008, reference: reference.toLowerCase() });
    const row = (amount: string) => csv([`16/11/2026;${amount};PIX RECEBIDO;${reference}`]);
    assert.deepEqual(await takeIn(row('200,08')), { ...NOTHING, known: 1 });
    assert.deepEqual(await unmatched(20_008), []);
    // Another amount contradicts the report.
    assert.deepEqual(await takeIn(row('200,09')), { ...NOTHING, unmatched: 1 });
  });

  test('is marked with the payment or not at all: an import that fails between the two is run again', async () => {
    const { id, pix } = await make({ amountCents: 20_010 });
    const without = ofx([{ cents: 20_010, id: 'N10', memo: 'Pix recebido' }]);
    assert.equal((await takeIn(without, 'ofx')).unmatched, 1);
    const holder = new pg.Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from unmatched_receipts where amount_cents = 20010 for update');
    const paying = csv([`16/11/2026;200,10;PIX ${pix.txid};${endToEndId()}`, MINUS]);
    await assert.rejects(takeIn(paying, 'csv', { lockTimeoutMs: 100 }), { code: 'database_timeout' });
    await holder.end();
    await takeIn(paying);
    assert.equal((await read(id)).payments.length, 1);
    assert.deepEqual(
      (await unmatched(20_010)).map(({ reason }) => reason),
      ['possible_duplicate'],
    );
  });

  test('without a charge is marked the second time, in either order', async () => {
    const hashed = plainCsv(['16/11/2026;200,05;PIX DE ALGUEM', PLAIN_MINUS]);
    const named = ofx([{ cents: 20_005, id: 'N5', memo: `Pix de alguem ${endToEndId()}` }]);
    assert.deepEqual(await takeIn(hashed), { ...NOTHING, unmatched: 1, outgoing: 1 });
    assert.deepEqual(await takeIn(named, 'ofx'), { ...NOTHING, duplicate: 1 });
    assert.deepEqual(await takeIn(hashed), { ...NOTHING, known: 1, outgoing: 1 });
    const kept = await unmatched(20_005);
    assert.deepEqual(kept.map(({ reason }) => reason).sort(), ['no_match', 'possible_duplicate']);
    const [marked, plain] = kept[0]?.reason === 'no_match' ? [kept[1], kept[0]] : kept;
    assert.equal(marked?.duplicateOf, plain?.reference);
  });

  test('once without its txid: the entry without one is marked, before or after the payment', async () => {
    const { pix } = await make({ amountCents: 20_006 });
    const without = (id: string) => ofx([{ cents: 20_006, id, memo: 'Pix recebido' }]);
    assert.equal((await takeIn(without('N6'), 'ofx')).unmatched, 1);
    assert.equal((await takeIn(csv([`16/11/2026;200,06;PIX ${pix.txid};${endToEndId()}`, MINUS]))).matched, 1);
    assert.deepEqual(
      (await unmatched(20_006)).map(({ reason }) => reason),
      ['possible_duplicate'],
    );
    assert.equal((await takeIn(without('N7'), 'ofx')).duplicate, 1);
  });
});

describe('two payments of one code', () => {
  test('in one file are two, with ids and without, also when the file comes again with one more', async () => {
    const { id, pix } = await make({ amountCents: 20_011 });
    const row = `16/11/2026;200,11;PIX RECEBIDO ${pix.txid}`;
    assert.deepEqual(await takeIn(plainCsv([row, PLAIN_MINUS])), { ...NOTHING, matched: 1, outgoing: 1 });
    assert.deepEqual(await takeIn(plainCsv([row, row, PLAIN_MINUS])), {
      ...NOTHING,
      known: 1,
      repeated: 1,
      outgoing: 1,
    });
    assert.equal((await read(id)).payments.length, 2);
    const other = await make({ amountCents: 20_012 });
    const twice = csv([
      `16/11/2026;200,12;PIX ${other.pix.txid};${endToEndId()}`,
      `16/11/2026;200,12;PIX ${other.pix.txid};`,
      MINUS,
    ]);
    assert.deepEqual(await takeIn(twice), { ...NOTHING, matched: 1, repeated: 1, outgoing: 1 });
  });

  test('with two endToEndIds or of two amounts are two', async () => {
    const { id, pix } = await make({ amountCents: 20_013 });
    const memo = `Pix ${pix.txid}`;
    await takeIn(csv([`16/11/2026;200,13;${memo};${endToEndId()}`, MINUS]));
    const others = [
      { cents: 20_013, id: 'T1', memo: `${memo} ${endToEndId()}` },
      { cents: 20_014, id: 'T2', memo },
    ];
    for (const entry of others) assert.equal((await takeIn(ofx([entry]), 'ofx')).repeated, 1, entry.id);
    assert.equal((await read(id)).payments.length, 3);
  });

  test('of two documents may be one: a document in a text need not be that of the payer', async () => {
    const { id, pix } = await make({ amountCents: 20_015 });
    const entry = (reference: string, payer: string) =>
      takeIn(ofx([{ cents: 20_015, id: reference, memo: `Pix ${payer} ${pix.txid}` }]), 'ofx');
    assert.equal((await entry('P1', 'MARIA 529.982.247-25')).matched, 1);
    const others = [
      'MARIA ***.982.247-**',
      'MARIA',
      'BCO BRASIL 00.000.000/0001-91',
      'DOC 11144477735',
      '***.456.789-**',
    ];
    for (const [place, payer] of others.entries()) {
      assert.equal((await entry(`P${place + 2}`, payer)).duplicate, 1, payer);
    }
    assert.equal((await read(id)).payments.length, 1);
  });

  test('without a charge are two, where both texts have a document and these differ', async () => {
    const entry = (reference: string, payer: string) =>
      takeIn(ofx([{ cents: 20_016, id: reference, memo: `Pix ${payer}` }]), 'ofx');
    assert.equal((await entry('Q1', 'MARIA 529.982.247-25')).unmatched, 1);
    assert.equal((await entry('Q2', 'LOJA 12.ABC.345/01DE-35')).unmatched, 1);
    assert.equal((await entry('Q3', 'MARIA ***.982.247-**')).duplicate, 1);
  });
});

test('returned money pays no charge, also with its txid', async () => {
  const { id, pix } = await make({ amountCents: 20_021 });
  const descriptions = [`DEVOLUCAO PIX ${pix.txid}`, `Estorno de pix ${pix.txid}`, `Pix devolvido - ${pix.txid}`];
  const bytes = ofx(descriptions.map((memo, place) => ({ cents: 20_021, id: `R${place}`, memo })));
  assert.deepEqual(await takeIn(bytes, 'ofx'), { ...NOTHING, returned: 3 });
  assert.deepEqual(await takeIn(bytes, 'ofx'), { ...NOTHING, known: 3 });
  assert.deepEqual((await read(id)).payments, []);
  assert.deepEqual(
    (await unmatched(20_021)).map(({ reason }) => reason),
    ['returned', 'returned', 'returned'],
  );
});

describe('a debit or a fee pays no charge', () => {
  test('in a column with the letters E and S, beside a reversal with a minus', async () => {
    const { id, pix } = await make({ amountCents: 30_009 });
    const rows = [`16/11/2026;300,09;PIX ${pix.txid};S`, '16/11/2026;-3,00;ESTORNO TARIFA;E'];
    const bytes = Buffer.from(['data;valor;histórico;Entrada/Saída', ...rows].join('\n'));
    assert.deepEqual(await takeIn(bytes), { ...NOTHING, outgoing: 2 });
    assert.deepEqual((await read(id)).payments, []);
  });

  test('in a column with unknown values, also when other entries have signs', async () => {
    const { id, pix } = await make({ amountCents: 30_010 });
    const unnamed = [`16/11/2026;300,10;PIX ${pix.txid};Pagamento`, '16/11/2026;-3,00;TARIFA;'];
    const first = Buffer.from(['data;valor;histórico;Tipo', ...unnamed].join('\n'));
    assert.deepEqual(await takeIn(first, 'csv', { faultLines: [2] }), { ...NOTHING, outgoing: 1 });
    const unknown = [`16/11/2026;300,10;PAGTO ${pix.txid};DEBITO EM CONTA`, '16/11/2026;-3,00;TARIFA;'];
    const second = Buffer.from(['data;valor;histórico;Xyz', ...unknown].join('\n'));
    assert.deepEqual(await takeIn(second, 'csv', { faultLines: [2] }), { ...NOTHING, outgoing: 1 });
    assert.deepEqual((await read(id)).payments, []);
  });

  test('as a fee with the ids of the pix, which then pays the charge', async () => {
    const { id, pix } = await make({ amountCents: 30_008 });
    const reference = endToEndId();
    const bytes = csv([
      `16/11/2026;1,00;TARIFA PIX RECEBIDO ${pix.txid};${reference}`,
      `16/11/2026;300,08;PIX RECEBIDO ${pix.txid};${reference}`,
    ]);
    assert.deepEqual(await takeIn(bytes, 'csv', { faultLines: [2] }), { ...NOTHING, matched: 1 });
    const { payments, paidAmount } = await read(id);
    assert.deepEqual([paidAmount, payments.length, payments[0].reference], ['exact', 1, reference]);
  });
});

test('the last entry of a cut OFX pays no charge while another field of it was coming', async () => {
  const { id, pix } = await make({ amountCents: 20_022 });
  const whole = ofx([{ cents: 20_022, id: 'C1', memo: 'devolvido' }]).toString();
  const cut = `${whole.split('<FITID>')[0]}<NAME>Pix ${pix.txid}\n<FITID>C1\n<MEM`;
  assert.deepEqual(await takeIn(Buffer.from(cut), 'ofx', { faultLines: [3] }), NOTHING);
  assert.deepEqual((await read(id)).payments, []);
});

test('the last entry of a cut OFX pays its charge when the balance was coming', async () => {
  const { id, pix } = await make({ amountCents: 20_023 });
  const whole = ofx([{ cents: 20_023, id: 'C2', memo: 'recebido' }]).toString();
  const cut = `${whole.split('<FITID>')[0]}<NAME>Pix ${pix.txid}\n<FITID>C2\n<LEDGERBAL>\n<BALAMT>1`;
  assert.deepEqual(await takeIn(Buffer.from(cut), 'ofx', { faultLines: [4] }), { ...NOTHING, matched: 1 });
  assert.equal((await read(id)).payments.length, 1);
});

describe('a day later', () => {
  test('a payment typed in by hand is still found to be the one of the day before', async () => {
    const { id, pix } = await make({ amountCents: 20_031 });
    service.clock.advanceMs(86_400_000);
    await report(id, { amountCents: 20_031, reference: 'seen at the bank' });
    assert.equal((await takeIn(ofx([{ cents: 20_031, id: 'D1', memo: `Pix ${pix.txid}` }]), 'ofx')).duplicate, 1);
  });

  test('one that was typed in on a Saturday is found in the statement of Monday, and is no second payment', async () => {
    service.clock.set('2026-11-21T15:00:00Z');
    const { id, pix } = await make({ amountCents: 20_033 });
    await report(id, { amountCents: 20_033, reference: 'seen on Saturday', paidAt: '2026-11-21T15:00:00Z' });
    service.clock.set('2026-11-23T15:00:00Z');
    const entry = { cents: 20_033, memo: `Pix ${pix.txid}`, day: '20261123' };
    assert.equal((await takeIn(ofx([{ ...entry, id: 'D4' }]), 'ofx')).duplicate, 1);
    assert.equal((await read(id)).payments.length, 1);
    const [kept] = await unmatched(20_033);
    assert.deepEqual([kept?.reason, kept?.duplicateOf], ['possible_duplicate', 'seen on Saturday']);
    // A person declares it another payment: nothing is lost.
    assert.equal((await report(id, { amountCents: 20_033, reference: kept!.reference })).status, 201);
    assert.equal((await read(id)).payments.length, 2);
  });

  test('the same amount for the same code is a second payment', async () => {
    const { id, pix } = await make({ amountCents: 20_032 });
    const memo = `Pix ${pix.txid}`;
    await takeIn(ofx([{ cents: 20_032, id: 'D2', memo, day: '20261123' }]), 'ofx');
    service.clock.advanceMs(86_400_000);
    assert.equal((await takeIn(ofx([{ cents: 20_032, id: 'D3', memo, day: '20261124' }]), 'ofx')).repeated, 1);
    assert.equal((await read(id)).payments.length, 2);
  });
});

describe('a payment from a statement that is reported by hand', () => {
  /** A charge that a statement without ids has paid. */
  async function readCharge(amountCents: number) {
    const { id, pix } = await make({ amountCents });
    const amount = (amountCents / 100).toFixed(2).replace('.', ',');
    // The tests before have moved the clock.
    const [year, month, day] = service.clock.now().toISOString().slice(0, 10).split('-');
    const bytes = plainCsv([
      `${day}/${month}/${year};${amount};PIX RECEBIDO ${pix.txid}`,
      `${day}/${month}/${year};-1,00;TARIFA`,
    ]);
    assert.deepEqual(await takeIn(bytes), { ...NOTHING, matched: 1, outgoing: 1 });
    const [payment] = (await read(id)).payments;
    return { id, reference: payment.reference as string };
  }

  test('is refused as a possible duplicate and named, on the day and later', async () => {
    const { id, reference } = await readCharge(20_041);
    const body = { amountCents: 20_041, reference: endToEndId() };
    for (const days of [0, 3]) {
      service.clock.advanceMs(days * 86_400_000);
      const refused = await report(id, body);
      assert.equal(refused.status, 409, refused.text);
      assert.equal(refused.json.code, 'possible_duplicate');
      assert.equal(refused.json.duplicateOf, reference);
    }
    assert.equal((await read(id)).payments.length, 1);
  });

  test('is recorded, once, when the person declares it another payment', async () => {
    const { id } = await readCharge(20_042);
    const body = { amountCents: 20_042, reference: endToEndId(), isAnother: true };
    const recorded = await report(id, body);
    assert.equal(recorded.status, 201, recorded.text);
    assert.deepEqual(
      recorded.json.payments.map(({ isRepeat }: { isRepeat: boolean }) => isRepeat),
      [false, true],
    );
    assert.equal((await report(id, body)).headers.get('idempotent-replayed'), 'true');
    assert.equal((await read(id)).payments.length, 2);
  });

  test('is another one with another amount, on a day that is named and far off, or where both have an endToEndId', async () => {
    const { id } = await readCharge(20_043);
    assert.equal((await report(id, { amountCents: 1, reference: 'one more cent' })).status, 201);
    const named = () => ({ amountCents: 20_043, reference: endToEndId(), paidAt: service.clock.now().toISOString() });
    service.clock.advanceMs(5 * 86_400_000);
    assert.equal((await report(id, named())).status, 409, 'a bank may have it on the banking day after a long weekend');
    service.clock.advanceMs(86_400_000);
    assert.equal((await report(id, named())).status, 201);
    assert.equal((await report(id, { amountCents: 20_043, reference: endToEndId(), isAnother: true })).status, 201);
    assert.equal((await read(id)).payments.length, 4);
  });

  test('by hand twice under two references is refused the second time, unless both are endToEndIds', async () => {
    const { id } = await make({ amountCents: 20_044 });
    assert.equal((await report(id, { amountCents: 20_044, reference: endToEndId() })).status, 201);
    assert.equal(
      (await report(id, { amountCents: 20_044, reference: 'as the app shows it' })).json.code,
      'possible_duplicate',
    );
    assert.equal((await report(id, { amountCents: 20_044, reference: endToEndId() })).status, 201);
  });
});

test('an unmatched payment is recorded with the amount that the bank reported, and with no other', async () => {
  const reference = endToEndId();
  const bytes = csv([`16/11/2026;200,51;PIX RECEBIDO JOSE;${reference}`, MINUS]);
  assert.deepEqual(await takeIn(bytes), { ...NOTHING, unmatched: 1, outgoing: 1 });
  const { id } = await make({ amountCents: 5_000 });
  for (const spelled of [reference, ` ${reference.toLowerCase()}`]) {
    const refused = await report(id, { amountCents: 5_000, reference: spelled, isAnother: true });
    assert.equal(refused.status, 409, refused.text);
    assert.equal(refused.json.code, 'reference_conflict');
  }
  assert.equal((await unmatched(20_051)).length, 1);
  assert.equal((await dismiss(reference)).status, 200);
  assert.equal((await report(id, { amountCents: 5_000, reference })).json.code, 'reference_conflict');
  const recorded = await report(id, { amountCents: 20_051, reference });
  assert.equal(`${recorded.status} ${recorded.json.paidAmount}`, '201 over');
  assert.deepEqual(await unmatched(20_051), []);
});

test('the reference of a statement has one spelling too, in the list, for a person and in the next import', async () => {
  const entries = (id: string) => ofx([{ cents: 20_061, id, memo: 'Pix recebido' }]);
  assert.equal((await takeIn(entries('Ｎ９  \u200bA'), 'ofx')).unmatched, 1);
  assert.equal((await takeIn(entries('N9 A'), 'ofx')).known, 1);
  const [kept] = await unmatched(20_061);
  assert.equal(kept?.reference, 'N9 A 2026-11-16 20061');
  const dismissed = await dismiss('N9 \u200b A 2026-11-16  20061');
  assert.equal(dismissed.status, 200, dismissed.text);
});
