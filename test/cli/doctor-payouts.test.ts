// The doctor's checks of payouts and prices in live: a wrong password, a dead node, an empty wallet and a dead price source are faults.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { NETWORK_FACTS } from '../../src/chains/networks.ts';
import { openSigners } from '../../src/chains/signer/open-signers.ts';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { startTronNode, type TronNode } from '../../src/sandbox/tron-node/start.ts';
import { SHORT_KEY_VECTOR } from '../chains/signer/vectors.ts';
import { runCommand } from '../harness/commands.ts';
import { ownFolder } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

const USDT = NETWORK_FACTS.tron.tokens.usdt.address;

let service: Service;
let node: TronNode;
let sender = '';
let signer: object;
let wrongSigner: object;
/** Answers with a price unless it is dead. */
let isDead = false;
const prices = createServer((_, response) => {
  response.writeHead(isDead ? 500 : 200, { 'content-type': 'application/json' }).end('{"price":5.41}');
});
const cleanUp: (() => Promise<void>)[] = [];

before(async () => {
  service = await startService({ mode: 'live' });
  node = await startTronNode();
  await new Promise<void>(resolve => void prices.listen(0, '127.0.0.1', resolve));
  const folder = await ownFolder({ after: work => cleanUp.push(work) });
  const write = async (name: string, text: string) => {
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const file = await write('hot.json', JSON.stringify(SHORT_KEY_VECTOR.keystore));
  const keystore = { name: 'hot', kind: 'keystore', file } as const;
  const right = { ...keystore, passwordFile: await write('password', SHORT_KEY_VECTOR.password) };
  signer = right;
  wrongSigner = { ...keystore, passwordFile: await write('wrong', 'hunter2') };
  sender = (await openSigners([right])).get('hot')?.tron ?? '';
  node.setToken(USDT, {});
});
after(async () => {
  prices.close();
  await Promise.all([service.stop(), node.stop()]);
  for (const work of cleanUp) await work();
});

async function doctor({ signers = [signer], urls = [node.endpoints[0].url] } = {}) {
  const { port } = prices.address() as AddressInfo;
  const source = (name: string) => ({ name, url: `http://127.0.0.1:${port}/{symbol}/{currency}`, price: 'price' });
  const providers = urls.map((url, index) => ({ name: `node-${index}`, url }));
  return runCommand(
    doctorCommand,
    {
      TRILHO_MODE: 'live',
      DATABASE_URL: service.databaseUrl,
      TRILHO_SIGNERS: JSON.stringify(signers),
      TRILHO_CHAINS: JSON.stringify([{ network: 'tron', providers, senders: [{ signer: 'hot' }] }]),
      TRILHO_PRICE_SOURCES: JSON.stringify([source('market')]),
    },
    [],
  );
}

test('a signer that opens, a node that answers, funds and prices are right', async () => {
  node.setBalance(sender, 1_000_000_000n);
  node.setToken(USDT, { balances: { [sender]: 25_000_000n } });
  const { code, said } = await doctor();
  assert.equal(code, 0, said);
  assert.match(said, /^right {2}signer hot: has the key of 0x/m);
  assert.match(said, /^right {2}chain tron: answers, head 78\d{6}$/m);
  assert.match(said, new RegExp(`^right {2}funds of ${sender} on tron: 1000 trx, 25 usdt$`, 'm'));
  assert.match(said, /^right {2}prices of usdt: 5\.41 BRL, from every source$/m);
});

test('a wrong password of a keystore is a fault, and its chains are not checked', async () => {
  const { code, said } = await doctor({ signers: [wrongSigner] });
  assert.equal(code, 1);
  assert.match(said, /^wrong {2}signer hot: signers\[0\]\.passwordFile is not the password of the keystore\.$/m);
  assert.match(said, /^wrong {2}chains: not checked while a signer cannot be opened$/m);
  assert.doesNotMatch(said, /hunter2/);
});

test('a dead node is a warning beside one that answers, and a fault alone', async () => {
  const dead = 'http://127.0.0.1:9';
  const beside = await doctor({ urls: [node.endpoints[0].url, dead] });
  assert.equal(beside.code, 0, beside.said);
  assert.match(beside.said, /^warning {2}chain tron: node-1 does not answer: /m);
  const alone = await doctor({ urls: [dead] });
  assert.equal(alone.code, 1);
  assert.match(alone.said, /^wrong {2}chain tron: no node answers: node-0 was not reached/m);
});

test('a wallet without the fee of a transfer, or without a token, is a fault; a low one is a warning', async () => {
  const said = async () => (await doctor()).said;
  node.setBalance(sender, 5_000_000n);
  assert.match(
    await said(),
    /^wrong {2}funds of \S+ on tron: 5 trx, 25 usdt; one transfer may cost 17\.39 trx: fill it up$/m,
  );
  node.setBalance(sender, 100_000_000n);
  assert.match(
    await said(),
    /^warning {2}funds of .*: 100 trx, 25 usdt; a full window of 32 transfers may cost more than its trx$/m,
  );
  node.setToken(USDT, { balances: { [sender]: 0n } });
  assert.match(await said(), /^wrong {2}funds of .*: 100 trx, 0 usdt; there is no token to send$/m);
});

test('a dead price source is a fault when no price is left', async () => {
  isDead = true;
  const { code, said } = await doctor();
  isDead = false;
  assert.equal(code, 1);
  assert.match(said, /^wrong {2}prices of usdt: There is no reliable price of usdt in BRL now/m);
});
