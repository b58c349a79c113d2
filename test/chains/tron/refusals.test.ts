// A provider of Tron that refuses every transfer, beside one that works.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { openTronChain } from '../../../src/chains/tron/tron-chain.ts';
import { PAYEE, SENDER, SIGNER, startTron, USDT, usdtTransfer } from '../../harness/tron.ts';

const stops: (() => Promise<unknown> | unknown)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

const REVERT = { result: { result: true, message: Buffer.from('REVERT opcode executed').toString('hex') } };
const TRANSFER = 'a9059cbb';

/** Passes on everything but simulated transfers. */
async function startReverting(nodeUrl: string): Promise<string> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const isTriedOut = request.url?.endsWith('triggerconstantcontract') && text.includes(`"${TRANSFER}`);
    if (isTriedOut) return response.end(JSON.stringify(REVERT));
    const answer = await fetch(`${nodeUrl}${request.url}`, { method: 'POST', body: text });
    return response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function openWith(order: (bad: string, good: string) => readonly string[]) {
  const tron = await startTron();
  stops.push(() => tron.stop());
  const good = tron.node.endpoints[0].url;
  const urls = order(await startReverting(good), good);
  const providers = urls.map((url, index) => ({ name: `p${index}`, url, timeoutSeconds: 20 }));
  const { chain } = await openTronChain(
    { providers, senders: [{ address: SENDER, signer: SIGNER }] },
    { clock: tron.clock },
  );
  return { ...tron, chain };
}

const intent = { sender: SENDER, symbol: 'usdt', units: 25_000_000n, to: PAYEE } as const;

test('one provider that lets every transfer revert refuses nothing while the second one works', async () => {
  const { chain } = await openWith((bad, good) => [bad, good]);
  assert.deepEqual(await chain.check(intent), { kind: 'ready' });
  assert.equal((await chain.sign(usdtTransfer(), [])).kind, 'signed');
});

test('two providers that agree refuse a transfer, and one of them alone makes it wait', async () => {
  const { chain, node } = await openWith((bad, good) => [good, bad]);
  node.setToken(USDT, { blocked: [PAYEE] });
  const refused = await chain.check(intent);
  assert.ok(refused.kind === 'refused' && refused.reason === 'blocked');
  node.endpoints[0].setFault({ kind: 'status', status: 500, on: 'wallet/triggerconstant', count: 1 });
  assert.equal((await chain.check(intent)).kind, 'unknown');
});
