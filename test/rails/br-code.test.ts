import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePixPayload, isValidPixPayload } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import { uuidV7 } from '../../src/lib/ids.ts';
import {
  isBrCodeIntact,
  locationIn,
  MAX_PIX_CENTS,
  receiverIn,
  staticAmountIn,
  staticBrCodes,
  txidOf,
} from '../../src/rails/br-code.ts';
import { readPixByOracle } from '../harness/oracles.ts';

/** CRC-16/CCITT-FALSE, written out here to verify the code under test independently. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

test('the CRC of this test gives the published check value', () => {
  assert.equal(crc16('123456789'), '29B1');
});

const brCode = staticBrCodes({
  key: 'sandbox@example.com',
  receiverName: 'Café São João',
  receiverCity: 'São Paulo',
});

test('every code has a correct checksum and is read back by an independent reader', () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, MAX_PIX_CENTS),
      fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      (amountCents, at) => {
        const txid = txidOf(uuidV7(at));
        // The reader takes the last 6304 for the field of the checksum; see the next test.
        fc.pre(!txid.endsWith('6304'));
        const emv = brCode(amountCents, txid);
        assert.equal(emv.slice(-4), crc16(emv.slice(0, -4)));
        const read = readPixByOracle(emv);
        assert.equal(read.key, 'sandbox@example.com');
        assert.equal(read.txid, txid);
        assert.equal(Math.round(read.amount * 100), Number(amountCents));
        assert.equal(read.name, 'Cafe Sao Joao');
        assert.equal(read.city, 'Sao Paulo');
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a txid may end like the beginning of the checksum field', () => {
  const emv = brCode(15_990n, '03G7RM8Q2ZK5T1XW9B4C66304');
  assert.equal(emv.slice(-4), crc16(emv.slice(0, -4)));
  assert.ok(isBrCodeIntact(emv));
  assert.ok(isValidPixPayload(emv));
});

test('a txid encodes a complete UUID in 25 letters and digits', () => {
  const uuid = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
  assert.match(txidOf(uuid), /^[0-9A-Z]{25}$/);
  assert.equal(txidOf('ffffffff-ffff-ffff-ffff-ffffffffffff').length, 25);
  assert.notEqual(txidOf(uuid), txidOf(uuid.replace(/7$/, '8')));
});

test('a code is the same as the one of the package', () => {
  const receiver = { key: 'sandbox@example.com', receiverName: 'Café São João', receiverCity: 'São Paulo' };
  for (const cents of [1n, 10n, 15_990n, 100_000n, MAX_PIX_CENTS]) {
    const theirs = generatePixPayload({
      key: receiver.key,
      merchantName: receiver.receiverName,
      merchantCity: receiver.receiverCity,
      amount: Number(cents) / 100,
      txid: 'T1',
    });
    assert.equal(staticBrCodes(receiver)(cents, 'T1'), theirs);
  }
});

test('an amount or a txid that the code cannot hold is refused', () => {
  assert.throws(() => brCode(MAX_PIX_CENTS + 1n, 'T'));
  assert.throws(() => brCode(0n, 'T'));
  for (const txid of ['', 'a b', 'x'.repeat(26), 'ção']) assert.throws(() => brCode(1n, txid), txid);
});

// Codes of the Central Bank: the first from its «Manual de Padrões para Iniciação do Pix», the second from its Pix tester.
const STATIC =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
const RECURRENCE_ALONE =
  '00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80950014br.gov.bcb.pix2573qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/5ee5232ead29422396b44f5eb67180d663041AD9';

test('published codes are intact, and broken by any single change', () => {
  for (const emv of [STATIC, RECURRENCE_ALONE]) {
    assert.ok(isBrCodeIntact(emv), emv);
    for (let at = 0; at < emv.length; at++) {
      const other = emv[at] === '1' ? '2' : '1';
      assert.ok(!isBrCodeIntact(emv.slice(0, at) + other + emv.slice(at + 1)), `changed at ${at}`);
      assert.ok(!isBrCodeIntact(emv.slice(0, at)), `cut at ${at}`);
    }
    assert.ok(!isBrCodeIntact(`${emv}0`));
  }
});

test('a correct checksum does not make a broken structure valid', () => {
  const sealed = (fields: string) => `${fields}6304${crc16(`${fields}6304`)}`;
  const rest = '5204000053039865802BR5901A6001B';
  assert.ok(isBrCodeIntact(sealed(`00020126180014br.gov.bcb.pix${rest}`)));
  assert.ok(!isBrCodeIntact(sealed(`00020226180014br.gov.bcb.pix${rest}`)), 'another version');
  assert.ok(!isBrCodeIntact(sealed(`26180014br.gov.bcb.pix${rest}`)), 'no version');
  assert.ok(!isBrCodeIntact(sealed(`00020126180015br.gov.bcb.pix${rest}`)), 'a template that does not add up');
  assert.ok(!isBrCodeIntact(sealed(`000201${rest}99`)), 'a head without its length');
  assert.ok(!isBrCodeIntact(`${sealed('000201')}0001A`), 'something after the checksum');
  assert.ok(!isBrCodeIntact(''));
});

test('reading something that is not a code finds nothing', () => {
  for (const text of ['00-4', '00-4000201', '0000', '00', '590-', `${STATIC.slice(0, 4)}26-8`, '59﹣4x']) {
    assert.deepEqual([receiverIn(text), staticAmountIn(text), locationIn(text)], [undefined, undefined, undefined]);
  }
  assert.equal(receiverIn(STATIC), 'Fulano de Tal');
  assert.equal(staticAmountIn(brCode(15_990n, 'T')), 15_990n);
});

test('our codes are intact for our reader and an independent one, and nothing may surround them', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, MAX_PIX_CENTS), fc.string({ minLength: 1 }), (amountCents, noise) => {
      const emv = brCode(amountCents, 'T');
      assert.ok(isBrCodeIntact(emv));
      assert.ok(isValidPixPayload(emv));
      assert.ok(!isBrCodeIntact(noise + emv));
      assert.ok(!isBrCodeIntact(emv + noise));
    }),
  );
});
