// The exact requests of the rail, and what it reads from answers that almost follow the norm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasError, isDynamicPix, parsePix } from 'pix-utils';
import { uuidV7 } from '../../../src/lib/ids.ts';
import { chargeBody, checkRequest, kindOf } from '../../../src/rails/bacen/charge-body.ts';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import { hintsIn, readReceipt, type Unreadable } from '../../../src/rails/bacen/receipts.ts';
import { readJson } from '../../../src/rails/bank-client/read-answer.ts';
import { dynamicBrCode, isBrCodeIntact, locationIn, staticBrCodes } from '../../../src/rails/br-code.ts';
import type { PaymentRequest } from '../../../src/rails/rail.ts';
import { testClock } from '../../harness/clock.ts';
import { silentLog } from '../../harness/log.ts';
import { CODE, codeAt, NOW, PIX_KEY, paymentRequest, quoteRequest, startScriptedPsp, TXID } from './scripted-psp.ts';

const bodyOf = (request: PaymentRequest, now = NOW) =>
  JSON.parse(JSON.stringify(chargeBody(request, { pixKey: PIX_KEY, now: new Date(now), sendsLocationKind: true })));

test('a charge with a due day, fine and interest is a cobv with exact texts', () => {
  const address = {
    street: 'Rua das Flores',
    number: '100',
    city: 'São Paulo',
    state: 'SP',
    postalCode: '01001-000',
    countryCode: 'BR',
  };
  const payer = { name: 'Maria da Silva', document: '52998224725', address };
  const request = paymentRequest({ finePercent: '2', interestPercent: '0.5', payer });
  assert.equal(kindOf(request), 'cobv');
  assert.deepEqual(bodyOf(request), {
    calendario: { dataDeVencimento: '2026-12-10', validadeAposVencimento: 10 },
    devedor: {
      logradouro: 'Rua das Flores, 100',
      cidade: 'São Paulo',
      uf: 'SP',
      cep: '01001000',
      cpf: '52998224725',
      nome: 'Maria da Silva',
    },
    valor: {
      original: '159.90',
      multa: { modalidade: 2, valorPerc: '2.00' },
      juros: { modalidade: 3, valorPerc: '0.50' },
    },
    chave: PIX_KEY,
    solicitacaoPagador: 'Order 1050',
  });
});

test('a charge that must be paid within minutes is a cob whose seconds count from the submission', () => {
  const request = quoteRequest({ payer: { name: 'Loja', document: '12ABC34501DE35' } });
  assert.equal(kindOf(request), 'cob');
  assert.deepEqual(bodyOf(request, '2026-11-16T12:10:00.400Z'), {
    calendario: { expiracao: 1_199 },
    devedor: { cnpj: '12ABC34501DE35', nome: 'Loja' },
    valor: { original: '159.90' },
    chave: PIX_KEY,
    solicitacaoPagador: 'Order 1050',
  });
  assert.equal(bodyOf(request, '2026-11-16T13:00:00Z').calendario.expiracao, 1);
});

test('taxes or a day make a cobv, a percent of zero does not', () => {
  assert.equal(kindOf(quoteRequest({ finePercent: '0', interestPercent: '0.00' })), 'cob');
  assert.equal(kindOf(quoteRequest({ finePercent: '0.01' })), 'cobv');
  assert.equal(kindOf(quoteRequest({ expireAt: new Date('2026-11-17T12:00:00Z') })), 'cob');
  assert.equal(kindOf(quoteRequest({ expireAt: new Date('2026-11-17T12:00:01Z') })), 'cobv');
});

test('amounts are exact up to the largest, and texts are cut to the lengths of the norm', () => {
  for (const [cents, text] of [
    [1n, '0.01'],
    [100n, '1.00'],
    [999_999_999_999n, '9999999999.99'],
  ] as const) {
    assert.equal(bodyOf(paymentRequest({ amountCents: cents })).valor.original, text);
  }
  const long = '😀'.repeat(300);
  const body = bodyOf(paymentRequest({ description: long, payer: { name: long, document: '52998224725' } }));
  assert.deepEqual([body.devedor.nome, body.solicitacaoPagador], ['😀'.repeat(200), '😀'.repeat(140)]);
});

test('a value that the norm cannot express exactly is refused before anything is sent', () => {
  assert.equal(checkRequest(paymentRequest({ finePercent: '2.50', interestPercent: '1' })), undefined);
  assert.deepEqual(checkRequest(paymentRequest({ interestPercent: '0.033' })), {
    path: 'taxes.interest',
    code: 'too_precise',
    message: 'must have at most two decimals to be charged by pix',
  });
  assert.equal(checkRequest(paymentRequest({ finePercent: '0.005' }))?.path, 'taxes.fine');
  assert.equal(checkRequest(paymentRequest({ amountCents: 1_000_000_000_000n }))?.code, 'above_ceiling');
});

test('a location of the pool gives the code before the PSP answers, and is sent with the charge by its exact id', async t => {
  const psp = await startScriptedPsp(t);
  const rail = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
  psp.answer({
    status: 201,
    body: '{"id": 9007199254740993, "location": "https://pix.example.com/qr/v2/abc", "tipoCob": "cobv"}',
  });
  const location = await rail.takeLocation?.('cobv');
  assert.deepEqual(location, { id: '9007199254740993', url: 'pix.example.com/qr/v2/abc' });
  const request = paymentRequest();
  const prepared = rail.prepare(request, location);
  const emv = prepared.instrument?.emv ?? '';
  assert.equal(locationIn(emv), location?.url);
  const submit = () => rail.submit(request, prepared.reference, location);
  psp.answer({ status: 201, body: { status: 'ATIVA', loc: { location: 'pix.example.com/qr/v2/abc' } } });
  assert.deepEqual(await submit(), { kind: 'registered' });
  assert.match(psp.calls.at(-1)?.body ?? '', /"loc":\{"id":9007199254740993,"tipoCob":"cobv"\}/);
  // A different name in the code, or no name, is no reason to replace the code; another location is.
  psp.answer({ status: 201, body: { status: 'ATIVA', pixCopiaECola: CODE } });
  assert.deepEqual(await submit(), { kind: 'registered' });
  psp.answer({ status: 201, body: { status: 'ATIVA' } });
  assert.deepEqual(await submit(), { kind: 'registered' });
  const elsewhere = codeAt('pix.example.com/qr/v2/abd');
  for (const body of [
    { pixCopiaECola: elsewhere },
    { pixCopiaECola: elsewhere, location: 'pix.example.com/qr/v2/abd' },
  ]) {
    psp.answer({ status: 200, body: { status: 'ATIVA', ...body } });
    const found = await rail.lookup(request, prepared.reference, location);
    assert.deepEqual(found, { kind: 'registered', instrument: { emv: elsewhere } });
  }
  assert.deepEqual(rail.prepare(request), { reference: TXID });
});

test('a code from a location is read back by an independent reader', () => {
  const emv = dynamicBrCode('https://pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca25', {
    receiverName: 'Café São João do Nordeste Ltda',
    receiverCity: 'São José dos Campos',
  });
  const read = parsePix(emv ?? '');
  assert.ok(!hasError(read) && isDynamicPix(read));
  assert.equal(read.url, 'pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca25');
  assert.equal(read.merchantName, 'Cafe Sao Joao do Nordeste');
  const receiver = { receiverName: 'a', receiverCity: 'b' };
  const longest = `localhost:4433/${'x'.repeat(62)}`;
  assert.ok(isBrCodeIntact(dynamicBrCode(longest, receiver) ?? ''));
  assert.equal(dynamicBrCode(`${longest}x`, receiver), undefined);
});

test('the code is read from any of its fields; without a code the charge is only accepted', async t => {
  const psp = await startScriptedPsp(t);
  const { lookup } = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
  const location = 'pix.example.com/qr/v2/abc';
  const built = dynamicBrCode(location, { receiverName: 'RECEBEDOR PIX', receiverCity: 'BRASILIA' });
  const cases: [object, string | undefined][] = [
    [{ pixCopiaECola: codeAt('pix.example.com/a'), brcode: codeAt('pix.example.com/b') }, codeAt('pix.example.com/a')],
    [{ pixCopiaECola: null, brcode: codeAt('pix.example.com/b') }, codeAt('pix.example.com/b')],
    [{ pixCopiaECola: '', textoImagemQRcode: CODE }, CODE],
    [{ loc: { location } }, built],
    [{ loc: null, location: `https://${location}` }, built],
    [{}, undefined],
  ];
  for (const [fields, emv] of cases) {
    psp.answer({ body: { status: 'ATIVA', ...fields } });
    const expected = emv === undefined ? { kind: 'accepted' } : { kind: 'registered', instrument: { emv } };
    assert.deepEqual(await lookup(paymentRequest(), TXID), expected);
  }
});

test('a code that cannot be paid fails the registration and names the fault', async t => {
  const psp = await startScriptedPsp(t);
  const { lookup, submit } = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
  const ownCode = staticBrCodes({ key: PIX_KEY, receiverName: 'Loja', receiverCity: 'Recife' })(15_990n, 'T1');
  const cases: [object, string][] = [
    [{ pixCopiaECola: '00-4' }, 'it is not a BR Code'],
    [{ pixCopiaECola: 'https://pix.example.com/qr/v2/abc' }, 'it is not a BR Code'],
    [{ pixCopiaECola: CODE.replace('/abc', '/abd') }, 'its checksum or the length of a field is wrong'],
    [{ pixCopiaECola: `${CODE}0001A` }, 'its checksum or the length of a field is wrong'],
    [{ pixCopiaECola: CODE.repeat(6) }, 'it is too long for a BR Code'],
    [{ pixCopiaECola: ownCode }, 'it has no location of a charge'],
    [{ pixCopiaECola: codeAt('x/y').replace(/5303986/, '5303840') }, 'its checksum or the length of a field is wrong'],
    [{ location: 'pix.example.com/a b' }, 'no code can hold its location'],
    [{ location: 'nowhere' }, 'no code can hold its location'],
  ];
  for (const [fields, fault] of cases) {
    psp.answer({ body: { status: 'ATIVA', ...fields } });
    const expected = { kind: 'rejected', reason: `The PSP answered with a pix code that cannot be paid: ${fault}.` };
    assert.deepEqual(await submit(paymentRequest(), TXID), expected);
    assert.deepEqual(await lookup(paymentRequest(), TXID), expected);
  }
});

const E2E = 'E12345678202611161200abcdefghijk';
const PIX = { endToEndId: E2E, txid: TXID, valor: '159.90', chave: PIX_KEY, horario: '2026-11-16T12:00:01.123Z' };
const REFUND = uuidV7(new Date(NOW));
const read = (pix: object | string, feePath?: string) =>
  readReceipt(readJson(typeof pix === 'string' ? pix : JSON.stringify(pix)), { pixKey: PIX_KEY, feePath });

test('a received pix is read exactly', () => {
  const receipt = {
    reference: E2E,
    requestReference: TXID,
    amountCents: 15_990n,
    paidAt: new Date('2026-11-16T12:00:01.123Z'),
    returns: [],
  };
  assert.deepEqual(read(PIX), receipt);
  const exact = JSON.stringify({ ...PIX, valor: 0 }).replace('"valor":0', '"valor":9999999999.99');
  assert.deepEqual(read(exact), { ...receipt, amountCents: 999_999_999_999n });
  assert.deepEqual(read({ ...PIX, valor: 1.5e2, txid: null, devolucoes: null, chave: null }), {
    reference: E2E,
    amountCents: 15_000n,
    paidAt: receipt.paidAt,
    returns: [],
  });
  assert.deepEqual(read({ ...PIX, chave: PIX_KEY.toUpperCase(), gnExtras: { tarifa: '1.19' } }, 'gnExtras.tarifa'), {
    ...receipt,
    feeCents: 119n,
  });
  for (const horario of ['2026-11-16T09:00:01.123-03:00', '2026-11-16T09:00:01.123-0300', '2026-11-16T12:00:01.123']) {
    assert.deepEqual(read({ ...PIX, horario }), receipt, horario);
  }
});

test('a pix to another key is recognised, however the key is written', () => {
  const isToOtherKey = (chave: string, pixKey: string) => {
    const receipt = readReceipt({ ...PIX, chave }, { pixKey });
    return !('kind' in receipt) && receipt.isToOtherKey === true;
  };
  assert.equal(isToOtherKey('x@example.com', 'y@example.com'), true);
  assert.equal(isToOtherKey('X@Example.com', 'x@example.com'), false);
  assert.equal(isToOtherKey('529.982.247-25', '52998224725'), false);
  assert.equal(isToOtherKey('5511987654321', '+5511987654321'), false);
  assert.equal(isToOtherKey('7D9F03358DCC40549BF90DBD61D36906', '7d9f0335-8dcc-4054-9bf9-0dbd61d36906'), false);
});

test('an unreadable pix is reported', () => {
  for (const wrong of [
    { valor: '159,90' },
    { valor: '1.001' },
    { valor: '-1.00' },
    { valor: '0.00' },
    { valor: null },
    { horario: 'now' },
  ]) {
    const { words: message, amountCents: _, ...rest } = read({ ...PIX, ...wrong }) as Unreadable;
    assert.deepEqual(rest, { kind: 'unreadable', reference: E2E }, JSON.stringify(wrong));
    const [[field, value] = []] = Object.entries(wrong);
    assert.ok(message.includes(value === null ? `no ${field}` : `${field} «${value}»`), message);
  }
  const unnamed = read({ ...PIX, endToEndId: 'E1\0' });
  assert.ok('kind' in unnamed && unnamed.reference === undefined);
  for (const wrong of ['null', '5', '[]', '{}']) assert.ok('kind' in read(wrong));
});

test('a returned amount is our refund only if its id can be ours and its kind is not of another origin', () => {
  const horario = { solicitacao: '2026-11-17T10:00:00Z', liquidacao: '2026-11-17T10:00:05Z' };
  const id = REFUND.replaceAll('-', '');
  const item = { id, rtrId: 'D1', valor: '10.00', horario, status: 'DEVOLVIDO' };
  const receipt = read({
    ...PIX,
    devolucoes: [
      item,
      { ...item, natureza: 'MED_FRAUDE', motivo: 'Golpe' },
      {
        ...item,
        id: 'abc',
        natureza: 'ORIGINAL',
        status: 'EM_PROCESSAMENTO',
        horario: { solicitacao: horario.solicitacao },
      },
      { ...item, id: null, valor: 0.5, natureza: 'RETIRADA', status: 'NAO_REALIZADO', horario: null },
    ],
  });
  assert.ok(!('kind' in receipt));
  const at = new Date('2026-11-17T10:00:05Z');
  assert.deepEqual(receipt.returns, [
    { refundId: REFUND, reference: id, amountCents: 1_000n, status: 'DONE', at },
    {
      reference: id,
      amountCents: 1_000n,
      status: 'DONE',
      at,
      reason: 'MED_FRAUDE: Golpe',
      dispute: { cause: 'fraud', bankCode: 'MED_FRAUDE' },
    },
    { reference: 'abc', amountCents: 1_000n, status: 'PENDING' },
    { reference: 'D1', amountCents: 50n, status: 'FAILED', reason: 'RETIRADA' },
  ]);
});

test('a notification gives ids and nothing else', () => {
  const other = E2E.replace('k', 'z');
  assert.deepEqual(hintsIn({ pix: [PIX, { endToEndId: other }, PIX, {}, null, 5, { endToEndId: '../x' }] }), [
    E2E,
    other,
  ]);
  assert.deepEqual(hintsIn([PIX]), [E2E]);
  assert.deepEqual(hintsIn(PIX), [E2E]);
  for (const body of [undefined, null, 'x', 5, {}, { pix: {} }, { pix: null }, []]) assert.deepEqual(hintsIn(body), []);
  const many = Array.from({ length: 5_000 }, (_, index) => ({ endToEndId: `E${String(index).padStart(31, '0')}` }));
  assert.equal(hintsIn({ pix: many }).length, 1_000);
});

test('a return is disputed unless its nature is one that the receiver asks for', () => {
  const horario = { solicitacao: '2026-11-17T10:00:00Z' };
  const causeOf = (natureza: unknown) => {
    const item = { id: 'M1', rtrId: 'D1', valor: '10.00', horario, status: 'EM_PROCESSAMENTO', natureza };
    const receipt = read({ ...PIX, devolucoes: [item] });
    assert.ok(!('kind' in receipt));
    const { cause, bankCode } = receipt.returns[0]?.dispute ?? {};
    return cause === undefined ? undefined : `${cause} ${bankCode}`;
  };
  for (const nature of [undefined, null, '', 'ORIGINAL', 'original', 'RETIRADA'])
    assert.equal(causeOf(nature), undefined);
  assert.equal(causeOf('MED_FRAUDE'), 'fraud MED_FRAUDE');
  assert.equal(causeOf(' med_operacional'), 'operational_failure MED_OPERACIONAL');
  assert.equal(causeOf('MED_PIX_AUTOMATICO'), 'automatic_pix MED_PIX_AUTOMATICO');
  assert.equal(causeOf('MED_NOVO'), 'other MED_NOVO');
});
