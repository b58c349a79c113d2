// Adding a family of chains takes a folder and a line in two lists: what is known of it, and how it is opened. The test uses it from the
// wallet to the payout, on a node of its own.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PEBBLE_ADDRESSES } from '../fixtures/pebble/address.ts';
import { pebble } from '../fixtures/pebble/network.ts';
import { keystoreSigner } from '../harness/keystore-signer.ts';
import { withLines } from '../harness/with-lines.ts';

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

const MAX_STEPS = 30;
const PAYEE = PEBBLE_ADDRESSES.fromBody(new Uint8Array(20).fill(9));
const urlOf = (file: string) => new URL(`../fixtures/pebble/${file}`, import.meta.url).href;

test('an order on a network of a family that one folder describes is paid and paid out', async () => {
  const project = withLines(pebble.id, [
    {
      list: '/src/chains/families.ts',
      after: 'FAMILIES = [',
      entry: 'pebble',
      imports: 'pebble',
      from: urlOf('family.ts'),
    },
    {
      list: '/src/chains/live-chains.ts',
      after: 'Open<EntryOf<F>> } = {',
      entry: 'pebble: openPebble',
      imports: 'openPebble',
      from: urlOf('open.ts'),
    },
  ]);
  stops.push(() => project.end());
  const { startService } = (await project.load('service.ts')) as typeof import('../harness/service.ts');
  const { orderDriver } = (await project.load('orders.ts')) as typeof import('../harness/orders.ts');
  const { node } = (await project.load('../fixtures/pebble/node.ts')) as typeof import('../fixtures/pebble/node.ts');

  const signer = await keystoreSigner(stops);
  const entry = {
    network: pebble.id,
    providers: [{ name: 'node', url: 'http://127.0.0.1:9' }],
    senders: [{ signer: signer.name }],
  };
  const env = (chain: object) => ({ TRILHO_SIGNERS: JSON.stringify([signer]), TRILHO_CHAINS: JSON.stringify([chain]) });
  await assert.rejects(startService({ env: env(entry) }), /chains\[0\] has no test/);
  const service = await startService({ env: env({ ...entry, test: {} }) });
  stops.push(() => service.stop());

  const wallet = (address: string) =>
    service.post('/wallets', { accountId: 'acme', name: 'Treasury', network: pebble.id, address });
  const wrong = await wallet(PAYEE.replace('pbl09', 'pbl08'));
  assert.equal(wrong.json.errors[0].code, 'wrong_checksum', wrong.text);
  assert.equal((await wallet(pebble.tokens.usdt.address)).json.errors[0].code, 'token_contract');
  const { json, status, text } = await wallet(PAYEE);
  assert.equal(status, 201, text);

  const orders = orderDriver(service);
  const order = await orders.order({ network: pebble.id, walletId: json.id });
  assert.equal(order.status, 201, order.text);
  await orders.pay(order);
  let last = order.json;
  for (let step = 0; step < MAX_STEPS && last.status !== 'fulfilled'; step++) {
    node.mine();
    await orders.advance('PT1M');
    last = await orders.read(order);
  }
  assert.equal(last.status, 'fulfilled', JSON.stringify(last));
  assert.deepEqual(node.mined(), [{ to: PAYEE, symbol: 'usdt', units: 100_000_000n }], 'it was sent once');
  const page = await fetch(`${service.url}/dashboard/payouts?network=pebble`, { headers: { accept: 'text/html' } });
  assert.match(await page.text(), /pebble/);
});
