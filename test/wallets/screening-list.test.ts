// Lists of addresses from operators: text, CSV, JSON lines.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { addressOf } from '../../src/chains/address.ts';
import { readScreeningList, type ScreeningList } from '../../src/wallets/screening-list.ts';

const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const OTHER = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRON = 'TJUQsHBcRMgNzUU7vb6xMy3tHUDzWGb5hy';

const read = (text: string) => readScreeningList(Buffer.from(text));
async function good(text: string): Promise<ScreeningList> {
  const list = await read(text);
  assert.ok(!('fault' in list), JSON.stringify(list));
  return list;
}
async function faultOf(text: string | Uint8Array): Promise<string> {
  const list = await (typeof text === 'string' ? read(text) : readScreeningList(text));
  assert.ok('fault' in list, 'it is refused');
  return list.fault;
}

test('an address is found in any spelling of the list', async () => {
  const forms = [
    EVM,
    EVM.toLowerCase(),
    `0x${EVM.slice(2).toUpperCase()}`,
    EVM.replace('5aA', '5AA'),
    `  ${EVM}  `,
    `Some name,${EVM},polygon`,
    `"Some name";"${EVM}"`,
    `ofac\t${EVM}`,
    `{"address":"${EVM}","network":"polygon"}`,
    `{"name":"x","address":" ${EVM.toLowerCase()} "}`,
  ];
  for (const form of forms) {
    const list = await good(`# a list\r\n\r\n${form}\r\n`);
    assert.deepEqual(
      [list.has(EVM), list.has(OTHER), list.has(TRON), list.size, list.skipped],
      [true, false, false, 1, 0],
    );
  }
});

test('one key is one entry on all networks', async () => {
  const body = Buffer.alloc(20, 9);
  const [evm, tron] = [addressOf('evm', body), addressOf('tron', body)];
  assert.ok((await good(tron)).has(evm));
  assert.ok((await good(evm)).has(tron));
  assert.equal((await good(`${evm}\n${tron}\n${evm.toLowerCase()}`)).size, 1);
});

test('a list has the SHA-256 of its bytes, and the date that it gives', async () => {
  const text = `# Date: 2026-11-01\n${EVM}\n`;
  const { digest, date } = await good(text);
  assert.deepEqual([digest, date], [createHash('sha256').update(text).digest('hex'), '2026-11-01']);
  assert.equal((await good(`{"date":"2026-11-01T10:00:00Z"}\n{"address":"${EVM}"}`)).date, '2026-11-01');
  assert.equal((await good(`# updated weekly\n${EVM}`)).date, undefined);
});

test('headings and addresses of other networks are counted and skipped', async () => {
  const list = await good(`address,name\n1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa,btc\n{"name":"no address"}\n${TRON},x\n`);
  assert.deepEqual([list.size, list.skipped, list.has(TRON)], [1, 3, true]);
});

test('an unusable list is refused with the reason', async () => {
  assert.match(await faultOf(''), /no address/);
  assert.match(await faultOf('# only words\nname\n'), /no address/);
  assert.match(
    await faultOf(`${EVM}\n${TRON.replace('TJU', 'TJV')}`),
    /line 2 an address of Tron with a wrong checksum/,
  );
  assert.match(await faultOf(`{"address":"${EVM}"`), /line 1 an object that is not JSON/);
  for (const day of ['yesterday', '2026-13-01', '01/11/2026'])
    assert.match(await faultOf(`# date: ${day}\n${EVM}`), /line 1 a date/);
  assert.match(await faultOf(Uint8Array.of(0xff, 0xfe, 0x30)), /UTF-8/);
});
