// The chains of a sandbox: by their own functions and through HTTP, on one database, with a clock that the test moves.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { readAddress } from '../../src/chains/address.ts';
import { NETWORKS, type Network } from '../../src/chains/asset.ts';
import type { Attempt, Chain, Sighting, Transfer } from '../../src/chains/chain.ts';
import { NETWORK_FACTS } from '../../src/chains/networks.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { countTransfers } from '../harness/count-transfers.ts';
import { silentLog } from '../harness/log.ts';
import { randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

const TO = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TRON_TO = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
const MINUTE_MS = 60_000;

let service: Service;
/** Two nodes: each with connections of its own. */
let databases: Database[];
let nodes: Required<ReturnType<typeof sandboxChains>>[];
before(async () => {
  service = await startService();
  const connection = { connectionString: service.databaseUrl };
  databases = [0, 1].map(() => openDatabase({ connection, log: silentLog, maxConnections: 4 }));
  nodes = databases.map(db => sandboxChains({ clock: service.clock, store: sandboxChainStore(db) }));
});
after(async () => {
  for (const db of databases) await db.close();
  await service.stop();
});
beforeEach(async () => {
  await service.sql('delete from sandbox_chain_transactions');
  for (const network of faulty) await direct(network, { fault: 'none' });
});

const senderOn = (network: Network) => chainOf(network).senders[0];
const chainOf = (network: Network, node = 0): Chain => nodes[node]![network];
/** Networks that have a fault, or had one. */
const faulty = new Set<Network>();
async function direct(network: Network, order: Record<string, unknown>) {
  faulty.add(network);
  const answer = await service.post(`/sandbox/chains/${network}`, order);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}
const shown = (network: Network, hash: string) => service.get(`/sandbox/chains/${network}/transactions/${hash}`);
const blocks = (network: Network, count: number) => service.clock.advanceMs(count * NETWORK_FACTS[network].blockMs);

function transferOn(network: Network, nonce = 0n, changes: Partial<Transfer> = {}): Transfer {
  const slot = { network, sender: senderOn(network), nonce };
  const [symbol, to] = network === 'tron' ? (['trx', TRON_TO] as const) : (['usdc', TO] as const);
  return { slot, symbol, units: 1_500_000n, to, ...changes };
}
/** Attempt `number` of a transfer, after those before it. */
async function attempt(transfer: Transfer, number = 1): Promise<Attempt> {
  const attempts: Attempt[] = [];
  while (attempts.length < number) {
    const signed = await chainOf(transfer.slot.network).sign(transfer, attempts);
    assert.ok(signed.kind === 'signed', JSON.stringify(signed));
    const { hash, raw } = signed;
    attempts.push({ number: attempts.length + 1, kind: 'transfer', hash, raw, signedAt: service.clock.now() });
  }
  return attempts.at(-1)!;
}
/** A transfer that was signed and sent. */
async function sent(transfer: Transfer): Promise<Attempt> {
  const first = await attempt(transfer);
  assert.deepEqual(await chainOf(transfer.slot.network).broadcast(first), { isSent: true });
  return first;
}
const mined = (hash: string, confirmations: number, outcome = 'transferred') => ({
  kind: 'mined',
  hash,
  confirmations,
  outcome,
});

/** A lookup without block, finality and amounts, which most tests do not compare. */
async function look(chain: Chain, ...asked: Parameters<Chain['lookup']>) {
  const sighting = await chain.lookup(...asked);
  return sighting.kind === 'mined'
    ? mined(sighting.hash, sighting.confirmations, sighting.outcome)
    : { kind: sighting.kind };
}

test('every network has a chain whose sender is an address there', () => {
  for (const network of NETWORKS) {
    const { senders, depth, name } = chainOf(network);
    assert.deepEqual(readAddress(network, senders[0]), { address: senders[0] });
    assert.deepEqual([name, depth], ['sandbox', NETWORK_FACTS[network].confirmations]);
  }
});

test("signing twice gives the same bytes; each attempt has its own hash, in its network's form", async () => {
  for (const network of NETWORKS) {
    const transfer = transferOn(network);
    const [once, again, second] = [await attempt(transfer), await attempt(transfer), await attempt(transfer, 2)];
    assert.deepEqual(once, again);
    assert.notEqual(once.hash, second.hash);
    assert.match(once.hash, network === 'tron' ? /^[0-9a-f]{64}$/ : /^0x[0-9a-f]{64}$/);
  }
});

test('each attempt bids at least an eighth more than the one before', async () => {
  const bids: bigint[] = [];
  for (let number = 1; number <= 30; number++) {
    const { raw } = await attempt(transferOn('base'), number);
    bids.push(BigInt(JSON.parse(Buffer.from(raw, 'hex').toString()).bid));
  }
  for (const [at, bid] of bids.entries()) if (at > 0) assert.ok(bid * 8n >= bids[at - 1]! * 9n);
});

test('a transfer that a network cannot carry is not signed', async () => {
  const chain = chainOf('polygon');
  const wrong: Partial<Transfer>[] = [
    { to: TRON_TO },
    { to: TO.toLowerCase() },
    { symbol: 'eth' },
    { units: 0n },
    { slot: { ...transferOn('polygon').slot, sender: TO } },
    { slot: transferOn('base').slot },
  ];
  for (const changes of wrong) assert.equal((await chain.sign(transferOn('polygon', 0n, changes), [])).kind, 'refused');
  const first = await attempt(transferOn('polygon'));
  assert.equal((await chain.sign(transferOn('polygon'), Array(100).fill(first))).kind, 'refused');
});

test('bytes without a valid signature are refused, and leave no trace', async () => {
  const first = await attempt(transferOn('polygon'));
  const { raw } = first;
  const text = Buffer.from(raw, 'hex').toString();
  const hex = (changed: string) => Buffer.from(changed).toString('hex');
  const garbage = [
    ...['', 'zz', '00', raw.slice(1), raw.slice(0, -2), raw.toUpperCase(), `${raw}20`, '7b7d', '6e756c6c', '5b5d'],
    hex(text.replace('"units":"1500000"', '"units":"01500000"')),
    hex(text.replace('"bid":"1000000"', '"bid":"1000001"')),
    hex(text.replace('"attempt":1', '"attempt":2')),
    hex(text.replace('{', '{ ')),
    hex(text.replace('"polygon"', '"base"')),
    (await attempt(transferOn('base'))).raw,
    'ab'.repeat(100_000),
  ];
  for (const bytes of garbage)
    assert.equal((await chainOf('polygon').broadcast({ ...first, raw: bytes })).isSent, false, bytes.slice(0, 80));
  assert.deepEqual(await service.sql('select from sandbox_chain_transactions'), []);
});

test('a transfer is pending until its block and gains a confirmation with every block, exactly by the clock', async () => {
  for (const network of NETWORKS) {
    const chain = chainOf(network);
    const transfer = transferOn(network);
    const lookNow = () => look(chain, transfer, [first]);
    const first = await attempt(transfer);
    assert.deepEqual(await lookNow(), { kind: 'absent' });
    await chain.broadcast(first);
    assert.deepEqual(await lookNow(), { kind: 'pending' });
    const minedAt = chain.nextLookupAt({ kind: 'pending' }, service.clock.now());
    service.clock.set(new Date(minedAt.getTime() - 1).toISOString());
    assert.deepEqual(await lookNow(), { kind: 'pending' });
    service.clock.advanceMs(1);
    assert.deepEqual(await lookNow(), mined(first.hash, 1));

    for (const wanted of [chain.depth, 2 * chain.depth]) {
      const at = chain.nextLookupAt(await chain.lookup(transfer, [first]), service.clock.now());
      service.clock.set(new Date(at.getTime() - 1).toISOString());
      assert.deepEqual(await lookNow(), mined(first.hash, wanted - 1), network);
      service.clock.advanceMs(1);
      assert.deepEqual(await lookNow(), mined(first.hash, wanted), network);
      const sighting = await chain.lookup(transfer, [first]);
      assert.equal(sighting.kind === 'mined' && sighting.isFinal, wanted > chain.depth);
    }
  }
});

test('a lookup without an answer or a result is repeated later', () => {
  const now = service.clock.now();
  for (const kind of ['absent', 'unknown', 'stuck'] as const)
    assert.ok(chainOf('arbitrum').nextLookupAt({ kind }, now) > now, kind);
  const deep = { hash: 'x', block: { number: 1, hash: 'b' }, confirmations: 1_000, isFinal: true } as const;
  const sighting: Sighting = { kind: 'mined', ...deep, outcome: 'transferred', leftUnits: 1n, feeUnits: 1n };
  assert.ok(chainOf('arbitrum').nextLookupAt(sighting, now) > now);
});

test('the same bytes sent again and again, by both nodes at once, are one transaction', async () => {
  const transfer = transferOn('bsc', 0n, { units: 10n ** 18n + 1n });
  const first = await attempt(transfer);
  await Promise.all(Array.from({ length: 20 }, (_, at) => chainOf('bsc', at % 2).broadcast(first)));
  blocks('bsc', 1);
  await Promise.all(Array.from({ length: 20 }, (_, at) => chainOf('bsc', at % 2).broadcast(first)));
  blocks('bsc', 1);
  for (const node of [0, 1])
    assert.deepEqual(await look(chainOf('bsc', node), transfer, [first]), mined(first.hash, 2));
  const { status, json } = await shown('bsc', first.hash);
  assert.equal(status, 200);
  const { block, ...rest } = json;
  assert.deepEqual(rest, {
    hash: first.hash,
    status: 'mined',
    confirmations: 2,
    outcome: 'transferred',
    to: TO,
    symbol: 'usdc',
    quantity: '1.000000000000000001',
    nonce: 0,
  });
  const { chains } = (await service.get('/sandbox/chains')).json;
  assert.equal(chains.find((chain: { network: string }) => chain.network === 'bsc').height, block + 1);
});

test('the next nonce is one above the highest that was sent, mined or not', async () => {
  const chain = chainOf('base');
  assert.equal(await chain.nextNonce(chain.senders[0]), 0n);
  await sent(transferOn('base', 0n));
  assert.equal(await chain.nextNonce(chain.senders[0]), 1n);
  blocks('base', 1);
  await sent(transferOn('base', 4n));
  assert.equal(await chain.nextNonce(chain.senders[0]), 5n);
  assert.equal(await chainOf('polygon').nextNonce(senderOn('polygon')), 0n);
});

test('on a stalled chain time stands still; afterwards it continues from there', async () => {
  const chain = chainOf('ethereum');
  const [early, late] = [transferOn('ethereum', 0n), transferOn('ethereum', 1n)];
  const old = await sent(early);
  blocks('ethereum', 3);
  const before = await direct('ethereum', { fault: 'stalled' });
  const young = await sent(late);
  blocks('ethereum', 20);
  assert.deepEqual(await direct('ethereum', { fault: 'stalled' }), before, 'stalling a stalled chain changes nothing');
  assert.deepEqual(await look(chain, early, [old]), mined(old.hash, 3));
  assert.deepEqual(await look(chain, late, [young]), { kind: 'pending' });
  assert.equal((await shown('ethereum', young.hash)).json.status, 'pending');
  assert.equal((await direct('ethereum', { fault: 'none' })).height, before.height);
  assert.deepEqual(await look(chain, late, [young]), { kind: 'pending' });
  blocks('ethereum', 1);
  assert.deepEqual(await look(chain, early, [old]), mined(old.hash, 4));
  assert.deepEqual(await look(chain, late, [young]), mined(young.hash, 1));
  // Blocks are mined at the same moments as before, so the time of the next lookup is still exact.
  const at = chain.nextLookupAt(await chain.lookup(late, [young]), service.clock.now());
  service.clock.set(new Date(at.getTime() - 1).toISOString());
  assert.deepEqual(await look(chain, late, [young]), mined(young.hash, chain.depth - 1));
  service.clock.advanceMs(1);
  assert.deepEqual(await look(chain, late, [young]), mined(young.hash, chain.depth));
});

test('a transfer that waits ten minutes is stuck, and a higher bid replaces it', async () => {
  const chain = chainOf('polygon');
  const transfer = transferOn('polygon');
  await direct('polygon', { fault: 'stalled' });
  const first = await sent(transfer);
  service.clock.advanceMs(10 * MINUTE_MS - 1);
  assert.deepEqual(await look(chain, transfer, [first]), { kind: 'pending' });
  service.clock.advanceMs(1);
  assert.deepEqual(await look(chain, transfer, [first]), { kind: 'stuck' });
  const second = await attempt(transfer, 2);
  // Signed and not sent: the chain knows only the first.
  assert.deepEqual(await look(chain, transfer, [first, second]), { kind: 'stuck' });
  await chain.broadcast(second);
  assert.deepEqual(await look(chain, transfer, [first, second]), { kind: 'pending' });
  await chain.broadcast(first);
  assert.equal((await shown('polygon', first.hash)).status, 404, 'a lower bid is dropped');
  await direct('polygon', { fault: 'none' });
  blocks('polygon', 1);
  await chain.broadcast(await attempt(transfer, 3));
  blocks('polygon', 1);
  assert.deepEqual(await look(chain, transfer, [first, second]), mined(second.hash, 2), 'a mined transfer stays');
});

test('under the fault reverting new transfers revert, and earlier ones do not', async () => {
  const chain = chainOf('tron');
  const [good, bad] = [transferOn('tron', 0n), transferOn('tron', 1n)];
  const first = await sent(good);
  await direct('tron', { fault: 'reverting' });
  const second = await sent(bad);
  await direct('tron', { fault: 'none' });
  blocks('tron', 1);
  assert.deepEqual(await look(chain, good, [first]), mined(first.hash, 1));
  assert.deepEqual(await look(chain, bad, [second]), mined(second.hash, 1, 'reverted'));
  assert.equal((await shown('tron', second.hash)).json.outcome, 'reverted');
  const { perSlot, perDestination } = await countTransfers({ db: databases[1]!, clock: service.clock }, 'tron');
  assert.deepEqual([...perSlot], [[`${chain.senders[0]} 0`, 1]]);
  assert.deepEqual([...perDestination], [[`trx ${TRON_TO}`, 1]]);
});

test('a silent chain accepts transfers and answers nothing', async () => {
  const chain = chainOf('arbitrum');
  const transfer = transferOn('arbitrum');
  const first = await attempt(transfer);
  await direct('arbitrum', { fault: 'rpc_timeout' });
  assert.deepEqual(await chain.broadcast(first), { isSent: false });
  assert.deepEqual(await look(chain, transfer, [first]), { kind: 'unknown' });
  assert.equal(await chain.nextNonce(chain.senders[0]), undefined);
  blocks('arbitrum', 2);
  assert.equal((await shown('arbitrum', first.hash)).json.confirmations, 2);
  await direct('arbitrum', { fault: 'none' });
  assert.deepEqual(await look(chain, transfer, [first]), mined(first.hash, 2));
  assert.equal(await chain.nextNonce(chain.senders[0]), 1n);
});

test('a reorganisation drops the transfers of the last blocks, and the same bytes are mined again once', async () => {
  const chain = chainOf('base');
  const [deep, shallow, waiting] = [transferOn('base', 0n), transferOn('base', 1n), transferOn('base', 2n)];
  const kept = await sent(deep);
  blocks('base', 1);
  const lost = await sent(shallow);
  blocks('base', 3);
  const pending = await sent(waiting);
  assert.equal((await direct('base', { reorganise: 2 })).dropped, 0);
  assert.equal((await direct('base', { reorganise: 3 })).dropped, 1);
  assert.deepEqual(await look(chain, deep, [kept]), mined(kept.hash, 4));
  assert.deepEqual(await look(chain, shallow, [lost]), { kind: 'absent' });
  assert.deepEqual(await look(chain, waiting, [pending]), { kind: 'pending' });
  assert.equal((await shown('base', lost.hash)).status, 404);
  blocks('base', 5);
  assert.deepEqual(await look(chain, shallow, [lost]), { kind: 'absent' }, 'it is not mined again by itself');
  await Promise.all([0, 1].map(node => chainOf('base', node).broadcast(lost)));
  blocks('base', 1);
  await chain.broadcast(lost);
  assert.deepEqual(await look(chain, shallow, [lost]), mined(lost.hash, 1));
  const { perSlot } = await countTransfers({ db: databases[0]!, clock: service.clock }, 'base');
  assert.deepEqual([...perSlot.values()], [1, 1, 1]);
});

test('a transfer is mismatched when destination, asset or amount differ', async () => {
  const chain = chainOf('ethereum');
  const transfer = transferOn('ethereum');
  const first = await sent(transfer);
  blocks('ethereum', 1);
  const others: Partial<Transfer>[] = [{ to: senderOn('base') }, { symbol: 'usdt' }, { units: 1_500_001n }];
  for (const changes of others)
    assert.deepEqual(await look(chain, { ...transfer, ...changes }, [first]), mined(first.hash, 1, 'mismatched'));
});

test('a slot filled by other bytes is absent while they are pending, and taken when they are final', async () => {
  const chain = chainOf('ethereum');
  const ours = transferOn('ethereum');
  await sent({ ...ours, units: 7n });
  const first = await attempt(ours);
  assert.deepEqual(await look(chain, ours, [first]), { kind: 'absent' });
  await chain.broadcast(first);
  blocks('ethereum', 1);
  assert.deepEqual(await look(chain, ours, [first]), { kind: 'unknown' });
  blocks('ethereum', 2 * chain.depth);
  assert.deepEqual(await look(chain, ours, [first]), { kind: 'taken' });
});

test('in any order of operations a slot has one mined transaction, and only a reorganisation undoes it', async () => {
  const network = 'polygon';
  const SLOTS = 3;
  const all: Attempt[][] = [];
  for (let slot = 0; slot < SLOTS; slot++)
    all.push(await Promise.all([1, 2, 3].map(number => attempt(transferOn(network, BigInt(slot)), number))));
  for (let round = 0; round < scaled(8, 3); round++) {
    const random = randomOf(20_261_116, round);
    await service.sql('delete from sandbox_chain_transactions');
    const minedBefore = new Map<string, { hash: string; block: number }>();
    for (let step = 0; step < 12; step++) {
      const reorganise = random.chance(0.2) ? 1 + random.below(4) : undefined;
      const acts: Promise<unknown>[] = Array.from({ length: random.below(6) }, () =>
        chainOf(network, random.below(2)).broadcast(random.pick(all[random.below(SLOTS)]!)),
      );
      if (reorganise !== undefined) acts.push(direct(network, { reorganise }));
      if (random.chance(0.2)) acts.push(direct(network, { fault: random.pick(['none', 'stalled', 'rpc_timeout']) }));
      await Promise.all(acts);
      service.clock.advanceMs(random.below(3_000));
      const rows = await service.sql<{ nonce: string; hash: string; block: string; mined: boolean }>(
        'select nonce, hash, block, block <= $1 as mined from sandbox_chain_transactions',
        [await heightOf(network)],
      );
      const minedNow = new Map(
        rows.filter(row => row.mined).map(({ nonce, hash, block }) => [nonce, { hash, block: Number(block) }]),
      );
      if (reorganise === undefined) {
        for (const [nonce, held] of minedBefore) assert.deepEqual(minedNow.get(nonce), held, `round ${round}`);
      }
      minedBefore.clear();
      for (const [nonce, held] of minedNow) minedBefore.set(nonce, held);
    }
    await direct(network, { fault: 'none' });
    for (const [slot, attempts] of all.entries()) {
      for (const each of attempts) await chainOf(network).broadcast(each);
      blocks(network, 1);
      const sighting = await chainOf(network, 1).lookup(transferOn(network, BigInt(slot)), attempts);
      assert.equal(sighting.kind === 'mined' && sighting.outcome, 'transferred');
      const statuses = await Promise.all(attempts.map(async ({ hash }) => (await shown(network, hash)).status));
      assert.deepEqual(statuses.toSorted(), [200, 404, 404]);
    }
  }
});

async function heightOf(network: Network): Promise<number> {
  const { chains } = (await service.get('/sandbox/chains')).json;
  return chains.find((chain: { network: string }) => chain.network === network).height;
}

test('an empty or unknown instruction is refused; an unknown chain or transaction is not found', async () => {
  for (const order of [{}, { fault: 'rain' }, { reorganise: 0 }, { reorganise: 101 }, { reorganise: 1.5 }, { wind: 1 }])
    assert.equal((await service.post('/sandbox/chains/base', order)).status, 400, JSON.stringify(order));
  assert.equal((await service.post('/sandbox/chains/solana', { fault: 'none' })).status, 404);
  for (const hash of ['x', '%00', `0x${'0'.repeat(64)}`]) assert.equal((await shown('base', hash)).status, 404, hash);
  const { hash } = await sent(transferOn('base'));
  assert.equal((await shown('polygon', hash)).status, 404);
});

test('the sender of a chain cannot be a wallet', async () => {
  for (const network of NETWORKS) {
    const body = { accountId: 'acme', name: 'Ours', network, address: senderOn(network) };
    const refused = await service.post('/wallets', body);
    assert.deepEqual([refused.status, refused.json.errors?.[0]?.code], [400, 'own_address'], network);
  }
});

test('with an unreachable database the network does not answer', async () => {
  const connection = { host: '/nowhere', user: 'nobody', database: 'none' };
  const db = openDatabase({ connection, log: silentLog, maxConnections: 1 });
  const chain = sandboxChains({ clock: service.clock, store: sandboxChainStore(db) }).base;
  const transfer = transferOn('base');
  const first = await attempt(transfer);
  const answers = [chain.broadcast(first), chain.lookup(transfer, [first]), chain.nextNonce(chain.senders[0])];
  assert.deepEqual(await Promise.all(answers), [{ isSent: false }, { kind: 'unknown' }, undefined]);
  await db.close();
});
