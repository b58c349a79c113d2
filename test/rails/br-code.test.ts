import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { uuidV7 } from '../../src/lib/ids.ts';
import { MAX_PIX_CENTS, staticBrCode, txidOf } from '../../src/rails/br-code.ts';
import { readPixByOracle } from '../harness/oracles.ts';

/** CRC-16/CCITT-FALSE, written out here so that the code under test is not its own judge. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

test('the judge knows the published check value', () => {
  assert.equal(crc16('123456789'), '29B1');
});

test('every code has a right checksum and is read back by an independent reader', () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, MAX_PIX_CENTS),
      fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
      (amountCents, at) => {
        const txid = txidOf(uuidV7(at));
        const emv = staticBrCode({
          key: 'sandbox@example.com',
          receiverName: 'Café São João',
          receiverCity: 'São Paulo',
          amountCents,
          txid,
        });
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

test('a txid keeps all of a UUID in 25 letters and digits', () => {
  const uuid = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
  assert.match(txidOf(uuid), /^[0-9A-Z]{25}$/);
  assert.equal(txidOf('ffffffff-ffff-ffff-ffff-ffffffffffff').length, 25);
  assert.notEqual(txidOf(uuid), txidOf(uuid.replace(/7$/, '8')));
});

test('an amount that the code cannot hold is refused', () => {
  const code = { key: 'sandbox@example.com', receiverName: 'A', receiverCity: 'B', txid: 'T' };
  assert.throws(() => staticBrCode({ ...code, amountCents: MAX_PIX_CENTS + 1n }));
  assert.throws(() => staticBrCode({ ...code, amountCents: 0n }));
});
