// The books compared with the chain itself: every difference is named.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { transferData } from '../../src/chains/evm/contracts.ts';
import { signTransaction } from '../../src/chains/evm/transaction.ts';
import { parseUnits } from '../../src/lib/decimals.ts';
import { ORDER_RECORDS } from '../../src/orders/payout-owner.ts';
import { compareSender, paidTwice } from '../../src/payouts/compare/chain.ts';
import { callNode } from '../../src/sandbox/evm-node/evm-node.ts';
import type { Sql } from '../../src/storage/database.ts';
import { signerOf } from '../harness/payout-drill/chain-of.ts';
import { type Drill, openDrill } from '../harness/payout-drill/drill.ts';
import type { WorldName } from '../harness/payout-drill/world.ts';
import { scaled } from '../harness/scale.ts';

const SINCE = new Date('2026-11-16T11:00:00.000Z');
const LOOK = 'they may have moved coin: look at the address in an explorer, and settle each transaction that was paid';
const PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';

const stops: (() => Promise<void>)[] = [];
after(async () => {
  for (const stop of stops) await stop();
});

const made = new Map<WorldName, Promise<Drill>>();

/** Three paid orders, all final; made once for each world. */
function fulfilled(world: WorldName): Promise<Drill> {
  const known = made.get(world) ?? fulfil(world);
  made.set(world, known);
  return known;
}

async function fulfil(world: WorldName): Promise<Drill> {
  const drill = await openDrill(world, 1, 0);
  stops.push(() => drill.close());
  // Records the sender's balances before anything is sent.
  await drill.pass(40);
  await compared(drill);
  await drill.pay(3);
  await drill.runJobs();
  await drill.rest();
  return drill;
}

/** Runs `work` on books that it may change; the changes are rolled back afterwards. */
async function inBooksOf({ db }: Drill, work: (books: Sql) => Promise<void>): Promise<void> {
  const done = new Error('the work is done');
  const undone = db.transaction(async tx => {
    await work(tx);
    throw done;
  });
  await assert.rejects(undone, error => {
    if (error !== done) throw error;
    return true;
  });
}

async function compared({ db, chain }: Drill, since?: Date, books: Sql = db) {
  const found = await compareSender({ db: books, payoutOwner: ORDER_RECORDS }, chain, chain.senders[0], since);
  assert.ok(found);
  return found;
}

for (const world of (['evm', 'tron', 'simulated'] as const).slice(0, scaled(3, 2))) {
  test(`on ${world} the books agree with the chain, and a changed fee, amount or hash is named`, async () => {
    const drill = await fulfilled(world);
    const right = await compared(drill);
    assert.deepEqual([right.settled, right.underWay, right.differences, right.unanswered], [3, 0, [], []]);
    await inBooksOf(drill, async books => {
      const [first, second, third] = await books.query<{ id: string }>('select id from payouts order by nonce');
      await books.query('update payouts set fee_units = fee_units + 1 where id = $1', [first?.id]);
      await books.query('update payouts set units = units + 1 where id = $1', [second?.id]);
      await books.query("update payouts set state = 'reverted' where id = $1", [third?.id]);
      const { differences } = await compared(drill, undefined, books);
      for (const message of [
        /slot 0: the fee is \S+ in the books and \S+ on the chain/,
        /slot 1: the outcome is transferred in the books and mismatched/,
        /slot 2: the outcome is reverted in the books and transferred/,
      ]) {
        assert.ok(
          differences.some(difference => message.test(difference)),
          String(message),
        );
      }
    });
  });
}

/** A transfer with our key, unknown to the service, and its hash. */
async function transferElsewhere(drill: Drill, to: string, units: bigint): Promise<string> {
  assert.ok(drill.world.spec.kind === 'evm');
  return signElsewhere(drill, { to: drill.world.spec.token, value: 0n, data: transferData(to, units) });
}

async function signElsewhere(
  { world, chain }: Drill,
  call: { readonly to: string; readonly value: bigint; readonly data: string },
): Promise<string> {
  assert.ok(world.spec.kind === 'evm');
  const { urls, keys, chainId } = world.spec;
  const [sender, url] = [chain.senders[0], urls[0] ?? ''];
  const { result: nonce } = await callNode(url, 'eth_getTransactionCount', [sender, 'latest']);
  const fees = { gas: 100_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n };
  const transaction = { chainId, nonce: BigInt(String(nonce)), ...call, ...fees };
  const signed = await signTransaction(signerOf(keys[0]), transaction, sender);
  assert.ok(signed.kind === 'signed');
  await callNode(url, 'eth_sendRawTransaction', [signed.raw]);
  await world.pass(1, 1_000);
  return signed.hash;
}

/** A transfer of the node's own account, and its hash. */
async function transferFromNode({ world }: Drill, to: string, units: bigint): Promise<string> {
  assert.ok(world.spec.kind === 'evm');
  const [url = ''] = world.spec.urls;
  const { result: accounts } = await callNode(url, 'eth_accounts', []);
  assert.ok(Array.isArray(accounts));
  const transaction = { from: accounts[0], to: world.spec.token, data: transferData(to, units) };
  const { result: hash } = await callNode(url, 'eth_sendTransaction', [transaction]);
  await world.pass(1, 1_000);
  return String(hash);
}

test('closing an order with a newer transfer does not hide an older one, and slots in between are named', async () => {
  const drill = await openDrill('evm', 1, 0);
  stops.push(() => drill.close());
  await drill.pause(true);
  const orders = await drill.pay(2);
  await drill.runJobs();
  // As after a restore: none of them is in the books; each is in its own block.
  await signElsewhere(drill, { to: PAYEE, value: 1n, data: '0x' });
  const hashes: string[] = [];
  for (const { id, address } of orders) {
    const { quantity } = (await drill.service.get(`/crypto/transactions/${id}`)).json;
    hashes.push(await transferElsewhere(drill, address, parseUnits(quantity, 6) ?? 0n));
    await signElsewhere(drill, { to: PAYEE, value: 1n, data: '0x' });
  }
  await drill.pass(40);
  const before = await compared(drill, SINCE);
  assert.deepEqual(
    before.strangers.map(({ hash }) => hash),
    hashes,
  );
  assert.deepEqual(before.unanswered, [`it has used 5 slots, and they are not in the books; ${LOOK}`]);

  const settle = async (place: number) => {
    const order = `/crypto/transactions/${orders[place]?.id}`;
    const closed = await drill.service.post(`${order}/settle`, { as: 'paid', hash: hashes[place] });
    assert.equal(closed.status, 200, closed.text);
    await drill.runJobs();
    return compared(drill, SINCE);
  };
  const [older = ''] = hashes;
  const newer = await settle(1);
  assert.deepEqual(
    newer.strangers.map(({ hash }) => hash),
    [older],
  );
  assert.deepEqual(newer.unanswered, [`its slots below 3 are not in the books; ${LOOK}`]);
  assert.ok(newer.differences.some(message => message.endsWith(`in ${older}, which is not in the books`)));

  const all = await settle(0);
  assert.deepEqual(all.differences, [
    'slot 2 was used by a transaction that is not in the books',
    'slot 4 was used by a transaction that is not in the books',
  ]);
  assert.deepEqual(all.unanswered, [`its slots below 1 are not in the books; ${LOOK}`]);
});

test('transfers from before the service had the key are only noted', async () => {
  const drill = await openDrill('evm', 1, 0);
  stops.push(() => drill.close());
  await signElsewhere(drill, { to: PAYEE, value: 1n, data: '0x' });
  await drill.pass(40);
  const early = await compared(drill);
  assert.deepEqual([early.differences, early.unanswered], [[], []], 'there is no order that it can have paid');
  assert.ok(early.notes.includes('it has used 1 slots, and they are not in the books'));
  await drill.pay(1);
  await drill.runJobs();
  await drill.rest();
  const later = await compared(drill, SINCE);
  assert.deepEqual([later.settled, later.differences, later.unanswered], [1, [], []]);
  assert.ok(later.notes.includes('its slots below 1 are not in the books'), later.notes.join('\n'));
});

test('a chain that does not answer is not confirmed', async () => {
  const drill = await fulfilled('evm');
  const found = await compareSender(
    { db: drill.db, payoutOwner: ORDER_RECORDS },
    { ...drill.chain, record: async () => undefined, lookup: async () => ({ kind: 'unknown' }) },
    drill.chain.senders[0],
  );
  assert.equal(found?.unanswered.length, 4);
});

test('a transfer in a slot that is void in the books is not taken for a foreign one', async () => {
  const drill = await fulfilled('evm');
  await inBooksOf(drill, async books => {
    const [order] = await books.query<{ order_id: string }>(
      `update payouts set state = 'voided', hash = null, fee_units = null, block_number = null, block_hash = null
        where nonce = 1 returning order_id`,
    );
    const { differences, moved } = await compared(drill, undefined, books);
    const name = `order ${order?.order_id}, slot 1:`;
    assert.ok(differences.includes(`${name} the outcome is voided in the books and transferred on the chain`));
    assert.ok(differences.every(message => message.startsWith(name)));
    assert.equal(new Set(moved.map(({ hash }) => hash)).size, 3);
    assert.deepEqual(paidTwice(moved, 'order'), []);
  });
});

test('on tron two attempts of one payout that both moved crypto are two payments of its order', async () => {
  const drill = await fulfilled('tron');
  await inBooksOf(drill, async books => {
    const [first, second] = await books.query<{ id: string; order_id: string; hash: string }>(
      'select id, order_id, hash from payouts order by nonce',
    );
    await books.query('update payout_attempts set payout_id = $1, number = 2 where payout_id = $2', [
      first?.id,
      second?.id,
    ]);
    const [sentence = '', ...more] = paidTwice((await compared(drill, undefined, books)).moved, 'order');
    assert.deepEqual(more, []);
    assert.match(sentence, new RegExp(`^order ${first?.order_id} was paid 2 times: \\S+ usdt in ${first?.hash}, \\S+`));
    assert.ok(sentence.endsWith(` usdt in ${second?.hash}`));
  });
});

test('a sweep is named as one', async () => {
  const drill = await fulfilled('evm');
  await inBooksOf(drill, async books => {
    const [sweep] = await books.query<{ id: string }>(
      `update payouts set order_id = null, swept_by = 'operator', fee_units = fee_units + 1 where nonce = 2 returning id`,
    );
    const { differences } = await compared(drill, undefined, books);
    assert.equal(differences.length, 1);
    assert.ok(differences[0]?.startsWith(`sweep ${sweep?.id}, slot 2: the fee is `));
  });
});

// The last test on its chain, because its transfers stay there.
test('a transfer by another use of the key is a difference, and an incoming one is not', async () => {
  const drill = await fulfilled('evm');
  const came = await transferFromNode(drill, drill.chain.senders[0], 5_000_000n);
  const { differences: none, notes } = await compared(drill);
  assert.deepEqual(none, []);
  assert.ok(notes.some(message => message.startsWith('5 usdt came from ') && message.endsWith(came)));
  assert.ok(notes.some(message => /^it has [\d.]+ usdt, and had 1000000 before its first payout$/.test(message)));

  const left = await transferElsewhere(drill, PAYEE, 7_000_000n);
  const { differences } = await compared(drill);
  assert.deepEqual(differences, [
    'the chain has used the slots below 4, and the books gave out those below 3',
    `7 usdt left to ${PAYEE.toLowerCase()} in ${left}, which is not in the books`,
  ]);
});
