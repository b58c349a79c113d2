// The combined answer of several providers, on a real EVM node behind providers that lag, lie, fail or stay silent.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  DEPTH,
  type EvmTest,
  type FundedNode,
  minedOf,
  openEvmTest,
  PAYEE,
  SENDER,
  startFundedNode,
} from '../../harness/evm.ts';
import { type RpcProxy, type Rule, startRpcProxy } from '../../harness/rpc-proxy.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

type Several = EvmTest & { readonly proxies: readonly RpcProxy[] };

async function openWith(count: number, changes: Parameters<typeof openEvmTest>[1] = {}): Promise<Several> {
  const funded: FundedNode = await startFundedNode();
  const proxies = await Promise.all(Array.from({ length: count }, () => startRpcProxy(funded.node.url)));
  stops.push(async () => {
    await Promise.all(proxies.map(proxy => proxy.stop()));
    await funded.node.stop();
  });
  const providers = proxies.map(({ url }, index) => ({ name: `p${index}`, url: `${url}/secret-key` }));
  return { ...(await openEvmTest(funded, { providers, ...changes })), proxies };
}

const ruleOf = (evm: Several, index: number, rule: Rule) => {
  const proxy = evm.proxies[index];
  assert.ok(proxy);
  proxy.rule = rule;
};
const nullReceipts: Rule = ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined);

async function minedTransfer(evm: Several, blocks = 1) {
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine(blocks);
  return { transfer, attempts };
}

test('a transaction is sent to every provider, and one that accepts it suffices', async () => {
  const evm = await openWith(2);
  ruleOf(evm, 0, ({ method }) =>
    method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'txpool is full' } } : undefined,
  );
  const attempt = await evm.sign(evm.transfer());
  assert.deepEqual(await evm.chain.broadcast(attempt), { isSent: true });
  for (const proxy of evm.proxies) assert.ok(proxy.calls.includes('eth_sendRawTransaction'));
});

test('when all providers refuse, the message names them, short and without addresses', async () => {
  const evm = await openWith(2);
  for (const index of [0, 1]) {
    ruleOf(evm, index, ({ method }) =>
      method === 'eth_sendRawTransaction'
        ? {
            error: {
              code: -32000,
              message: `insufficient funds at https://node.example/secret-key ${'x'.repeat(900)}`,
            },
          }
        : undefined,
    );
  }
  const { isSent, message = '' } = await evm.chain.broadcast(await evm.sign(evm.transfer()));
  assert.equal(isSent, false);
  assert.match(message, /^p0: insufficient funds at … x+…; p1: insufficient funds at … x+…$/);
  assert.ok(message.length < 500);
});

test('a provider that lags does not contradict a transfer that another one shows', async () => {
  const evm = await openWith(2);
  const { number } = await evm.node.rpc('eth_getBlockByNumber', ['latest', false]);
  const { transfer, attempts } = await minedTransfer(evm);
  ruleOf(evm, 1, ({ method, params }) => {
    if (method === 'eth_getTransactionReceipt') return { result: null };
    if (method === 'eth_getTransactionCount') return { result: '0x0' };
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return undefined;
    return evm.node.rpc('eth_getBlockByNumber', [number, false]).then(result => ({ result }));
  });
  assert.equal(minedOf(await evm.look(transfer, attempts)).outcome, 'transferred');
});

test('final needs two providers that agree', async () => {
  const evm = await openWith(2);
  const { transfer, attempts } = await minedTransfer(evm, DEPTH);
  assert.equal(minedOf(await evm.look(transfer, attempts)).isFinal, true);
  ruleOf(evm, 1, ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? evm.node.rpc('eth_getBlockByNumber', ['0x0', false]).then(result => ({ result }))
      : undefined,
  );
  assert.equal(minedOf(await evm.look(transfer, attempts)).isFinal, false, 'a final block of 0');
  ruleOf(evm, 1, ({ method }) =>
    method === 'eth_getTransactionCount' ? { error: { code: -32000, message: 'header not found' } } : undefined,
  );
  assert.equal(minedOf(await evm.look(transfer, attempts)).isFinal, false, 'one that does not answer');
});

test('a failure that one provider shows while the other lags is not final, whatever balances it shows', async () => {
  const evm = await openWith(2);
  const { number } = await evm.node.rpc('eth_getBlockByNumber', ['latest', false]);
  const { transfer, attempts } = await minedTransfer(evm, DEPTH);
  ruleOf(evm, 0, async ({ method, params, pass }) => {
    if (method === 'eth_getLogs') return { result: [] };
    if (method === 'eth_call' && params[1] !== 'latest') return { result: `0x${'0'.repeat(64)}` };
    if (method !== 'eth_getTransactionReceipt') return undefined;
    const { result } = await pass();
    return { result: { ...(result as object), status: '0x0', logs: [] } };
  });
  const lags: Rule = ({ method, params }) => {
    if (method === 'eth_getTransactionReceipt') return { result: null };
    if (method === 'eth_getTransactionCount') return { result: '0x0' };
    if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return undefined;
    return evm.node.rpc('eth_getBlockByNumber', [number, false]).then(result => ({ result }));
  };
  ruleOf(evm, 1, lags);
  const { outcome, isFinal } = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([outcome, isFinal], ['reverted', false]);
  ruleOf(evm, 1, () => undefined);
  assert.equal((await evm.look(transfer, attempts)).kind, 'unknown', 'they disagree');
});

test('final needs the depth and the tag', async () => {
  const evm = await openWith(1, { depth: 20 });
  const { transfer, attempts } = await minedTransfer(evm, 10);
  assert.equal(minedOf(await evm.look(transfer, attempts)).isFinal, false);
  await evm.node.mine(10);
  assert.equal(minedOf(await evm.look(transfer, attempts)).isFinal, true);
});

for (const [about, forged] of [
  ['the block', { blockHash: `0x${'6'.repeat(64)}` }],
  ['the fee', { gasUsed: `0x1${'0'.repeat(50)}` }],
] as const) {
  test(`a liar about ${about} among two providers makes the answer unknown, and among three it is outvoted`, async () => {
    const lie: Rule = async ({ method, pass }) => {
      if (method !== 'eth_getTransactionReceipt') return undefined;
      const { result } = await pass();
      if (typeof result !== 'object' || result === null) return undefined;
      return { result: { ...result, ...forged } };
    };
    const two = await openWith(2);
    const ofTwo = await minedTransfer(two);
    ruleOf(two, 0, lie);
    assert.deepEqual(await two.look(ofTwo.transfer, ofTwo.attempts), {
      kind: 'unknown',
      message: 'the providers disagree about the transfer',
      isAnswered: true,
    });
    const three = await openWith(3);
    const ofThree = await minedTransfer(three);
    const { block, feeUnits } = minedOf(await three.look(ofThree.transfer, ofThree.attempts));
    ruleOf(three, 0, lie);
    const outvoted = minedOf(await three.look(ofThree.transfer, ofThree.attempts));
    assert.deepEqual([outvoted.block, outvoted.feeUnits], [block, feeUnits]);
  });
}

test('a receipt that one provider invents for a pending transaction is not believed if another contradicts it', async () => {
  const evm = await openWith(2);
  const earlier = await minedTransfer(evm);
  const receipt = await evm.node.rpc('eth_getTransactionReceipt', [earlier.attempts[0]?.hash]);
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  ruleOf(evm, 0, ({ method }) => {
    if (method === 'eth_getTransactionCount') return { result: '0x9' };
    if (method !== 'eth_getTransactionReceipt') return undefined;
    return { result: { ...receipt, transactionHash: attempts[0]?.hash } };
  });
  assert.equal((await evm.look(transfer, attempts)).kind, 'unknown');
});

test('a sighting is not undone because receipts are missing: only another block at its height proves it', async () => {
  const evm = await openWith(2);
  const { transfer, attempts } = await minedTransfer(evm, 2);
  const { block } = minedOf(await evm.look(transfer, attempts));
  for (const index of [0, 1]) ruleOf(evm, index, nullReceipts);
  assert.equal((await evm.look(transfer, attempts, block)).kind, 'unknown', 'the block is still there');
  for (const index of [0, 1]) ruleOf(evm, index, () => undefined);
  await evm.node.rpc('anvil_reorg', [2, []]);
  ruleOf(evm, 1, ({ method }) => (method === 'eth_getBlockByNumber' ? { result: null } : undefined));
  assert.equal((await evm.look(transfer, attempts, block)).kind, 'unknown', 'one provider is not enough');
});

test('two providers that show another block undo a sighting', async () => {
  const evm = await openWith(2);
  const { transfer, attempts } = await minedTransfer(evm, 2);
  const { block } = minedOf(await evm.look(transfer, attempts));
  await evm.node.rpc('anvil_reorg', [2, []]);
  assert.equal((await evm.look(transfer, attempts, block)).kind, 'absent');
});

test('taken needs two providers that agree', async () => {
  const evm = await openWith(2);
  const transfer = evm.transfer();
  const foreign = await evm.sign({ ...transfer, units: 1n });
  const ours = await evm.sign(transfer);
  await evm.chain.broadcast(foreign);
  await evm.node.mine(DEPTH + 1);
  ruleOf(evm, 1, ({ method, params }) =>
    method === 'eth_getTransactionCount' && params[1] === 'finalized'
      ? { error: { code: -32000, message: 'missing trie node' } }
      : undefined,
  );
  assert.equal((await evm.look(transfer, [ours])).kind, 'unknown');
  ruleOf(evm, 1, () => undefined);
  assert.equal((await evm.look(transfer, [ours])).kind, 'taken');
});

test('a slot is not taken if the providers have pruned the receipts of that time', async () => {
  const evm = await openWith(2);
  const { transfer, attempts } = await minedTransfer(evm, DEPTH + 1);
  const dropReceipts: Rule = ({ method }) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined);
  for (const index of [0, 1]) ruleOf(evm, index, dropReceipts);
  const sighting = await evm.look(transfer, attempts);
  assert.equal(sighting.kind, 'unknown');
  assert.match('message' in sighting ? (sighting.message ?? '') : '', /still have the transactions of that time/);
  for (const index of [0, 1]) ruleOf(evm, index, () => undefined);
  assert.equal((await evm.look(transfer, attempts)).kind, 'mined');
});

test('a slot is not taken when one node behind an address lacks the receipt and the next has it', async () => {
  const evm = await openWith(2);
  const { transfer, attempts } = await minedTransfer(evm, DEPTH + 1);
  for (const index of [0, 1]) {
    let asked = 0;
    ruleOf(evm, index, ({ method, params }) =>
      method === 'eth_getTransactionReceipt' && params[0] === attempts[0]?.hash && asked++ === 0
        ? { result: null }
        : undefined,
    );
  }
  assert.equal((await evm.look(transfer, attempts)).kind, 'unknown');
  assert.equal((await evm.look(transfer, attempts)).kind, 'mined');
});

test('a receipt above the head that was read first is unknown', async () => {
  const evm = await openWith(1);
  const head = await evm.node.rpc('eth_getBlockByNumber', ['latest', false]);
  const { transfer, attempts } = await minedTransfer(evm);
  ruleOf(evm, 0, ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: head } : undefined,
  );
  assert.equal((await evm.look(transfer, attempts)).kind, 'unknown');
});

test('an unreadable answer counts as no answer', async () => {
  const evm = await openWith(1);
  const { transfer, attempts } = await minedTransfer(evm);
  for (const result of ['0xzz', 5, {}, [], 'latest', undefined]) {
    ruleOf(evm, 0, ({ method }) => (method === 'eth_getTransactionCount' ? { result } : undefined));
    assert.equal((await evm.look(transfer, attempts)).kind, 'unknown');
    assert.equal(await evm.chain.nextNonce(SENDER), undefined);
  }
  ruleOf(evm, 0, ({ method }) =>
    method === 'eth_getTransactionReceipt'
      ? { result: { status: '0x1', transactionHash: attempts[0]?.hash } }
      : undefined,
  );
  assert.equal((await evm.look(transfer, attempts)).kind, 'unknown');
});

test('the first unused nonce needs providers that agree', async () => {
  const evm = await openWith(2);
  assert.equal(await evm.chain.nextNonce(SENDER), 0n);
  ruleOf(evm, 1, ({ method }) => (method === 'eth_getTransactionCount' ? { result: '0x5' } : undefined));
  assert.equal(await evm.chain.nextNonce(SENDER), undefined);
});

test('a provider is paused after three failures, and the other one is used', async () => {
  const evm = await openWith(2);
  const [broken] = evm.proxies;
  assert.ok(broken);
  broken.status = 503;
  const before = broken.requests();
  for (let look = 0; look < 10; look++) assert.equal((await evm.look(evm.transfer(), [])).kind, 'absent');
  assert.equal(broken.requests() - before, 3);
  evm.clock.advanceMs(2_000);
  for (let look = 0; look < 10; look++) await evm.look(evm.transfer(), []);
  assert.equal(broken.requests() - before, 4, 'one request tries it again');
  const health = await evm.chain.health();
  assert.deepEqual(health.providers, [
    { name: 'p0', isAnswering: false, words: 'status 503' },
    { name: 'p1', isAnswering: true },
  ]);
  assert.equal(health.head, BigInt(await evm.node.rpc('eth_blockNumber')));
  broken.status = 200;
  evm.clock.advanceMs(30_000);
  assert.ok((await evm.chain.health()).providers.every(({ isAnswering }) => isAnswering));
});

test('a silent provider has three seconds, then the other one is used', async () => {
  const evm = await openWith(2);
  ruleOf(evm, 0, () => 'silence');
  assert.equal((await evm.look(evm.transfer(), [])).kind, 'absent');
});

test('without a provider everything is unknown, and nothing throws', async () => {
  const evm = await openWith(2);
  const transfer = evm.transfer();
  const attempt = await evm.sign(transfer);
  for (const proxy of evm.proxies) proxy.status = 500;
  assert.equal((await evm.look(transfer, [attempt])).kind, 'unknown');
  assert.equal((await evm.chain.check({ ...transfer, sender: SENDER })).kind, 'unknown');
  assert.equal((await evm.chain.sign(transfer, [])).kind, 'unknown');
  assert.equal((await evm.chain.signVoid?.(transfer.slot, [attempt]))?.kind, 'unknown');
  assert.equal(await evm.chain.funds(SENDER, 'usdt'), undefined);
  assert.equal(await evm.chain.isContract(PAYEE), undefined);
  assert.equal(await evm.chain.nextNonce(SENDER), undefined);
  assert.deepEqual(await evm.chain.broadcast(attempt), { isSent: false, message: 'p0: status 500; p1: status 500' });
  assert.equal((await evm.chain.health()).head, undefined);
});

test('concurrent calls share a request, and go one by one if a provider accepts no batches', async () => {
  const evm = await openWith(1);
  const [proxy] = evm.proxies;
  assert.ok(proxy);
  const transfers = Array.from({ length: 20 }, () => evm.transfer());
  const sent = await Promise.all(transfers.map(transfer => evm.sign(transfer)));
  for (const attempt of sent) await evm.chain.broadcast(attempt);
  await evm.node.mine();
  const lookAll = () => Promise.all(transfers.map((transfer, at) => evm.look(transfer, sent.slice(at, at + 1))));
  const before = proxy.requests();
  for (const sighting of await lookAll()) minedOf(sighting);
  assert.ok(proxy.requests() - before <= 4, `${proxy.requests() - before} requests for 20 lookups`);
  proxy.takesBatches = false;
  for (const sighting of await lookAll()) minedOf(sighting);
});
