// The balances of a sender compared with the books: everything that left between two comparisons must be payouts and their fees.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { coinOf } from '../../src/chains/networks.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { ORDER_RECORDS } from '../../src/orders/payout-owner.ts';
import { compareSender } from '../../src/payouts/compare/chain.ts';
import { runCommand } from '../harness/commands.ts';
import { type Drill, openDrill } from '../harness/payout-drill/drill.ts';
import { scaled } from '../harness/scale.ts';

const stops: (() => Promise<void>)[] = [];
after(async () => {
  for (const stop of stops) await stop();
});

async function opened(world: 'evm' | 'tron'): Promise<Drill> {
  const drill = await openDrill(world, 1, 0);
  stops.push(() => drill.close());
  await drill.pass(40);
  return drill;
}

async function payAll(drill: Drill, count: number): Promise<void> {
  await drill.pay(count);
  await drill.runJobs();
  await drill.rest();
  await drill.pass(40);
}

async function compared({ db, chain }: Drill) {
  const { differences, unanswered, notes } = await compareSender(
    { db, payoutOwner: ORDER_RECORDS },
    chain,
    chain.senders[0],
  );
  return { differences, unanswered, cameIn: notes.filter(message => message.includes(' came in between ')) };
}

/** A transfer with our key, unknown to the service. */
async function sendElsewhere({ chain, random, world, pass }: Drill, units: bigint, nonce: bigint): Promise<void> {
  const { network, senders } = chain;
  const slot = { network, sender: senders[0], nonce };
  const moves = {
    symbol: network === 'tron' ? ('trx' as const) : ('eth' as const),
    units,
    to: world.newAddress(random),
  };
  const signed = await chain.sign({ slot, ...moves }, []);
  assert.ok(signed.kind === 'signed', JSON.stringify(signed));
  const { isSent } = await chain.broadcast({ ...signed, number: 1, kind: 'transfer', signedAt: world.now() });
  assert.ok(isSent);
  await pass(40);
}

/** An operator explains the differences, and the check shows them as notes. */
async function explainAll(drill: Drill, sentence: string, hasSlots: boolean): Promise<void> {
  const { service, chain, db } = drill;
  const explain = (...args: string[]) =>
    runCommand(ledgerCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, [
      'explain',
      chain.network,
      chain.senders[0],
      ...args,
    ]);
  const [, amount, asset, from, to] = /^(\S+) (\S+) left between the blocks (\d+) and (\d+),/.exec(sentence)!;
  const named = (blocks: string, of = amount!) => ['--amount', of, '--asset', asset!, '--blocks', blocks];
  const note = ['--note', 'moved by hand'];
  await assert.rejects(explain(...named(`${from}-${Number(to) + 1}`), ...note), /No check compared/);
  await assert.rejects(explain(...named(`${from}-${to}`)), /--note is missing/);
  assert.equal((await explain(...named(`${from}-${to}`, '1'), ...note)).code, 0);
  assert.ok((await compared(drill)).differences.includes(sentence), 'another amount explains nothing');
  assert.equal((await explain(...named(`${from}-${to}`), ...note)).code, 0);
  if (hasSlots) assert.equal((await explain('--slot', '3', ...note)).code, 0);
  const { differences, notes } = await compareSender({ db, payoutOwner: ORDER_RECORDS }, chain, chain.senders[0]);
  assert.deepEqual(differences, []);
  assert.ok(notes.includes(`${sentence}; explained: moved by hand`), notes.join('\n'));
  const lines = await db.query<{ object_id: string }>(
    `select object_id from audit_log where action = 'trilho ledger explain' and actor = 'operator'`,
  );
  assert.equal(lines.filter(line => line.object_id === chain.senders[0]).length, hasSlots ? 3 : 2);
}

for (const world of (['tron', 'evm'] as const).slice(0, scaled(2))) {
  test(`on ${world} payouts and fees explain the balance, and coin that another program sent is named at every comparison`, async () => {
    const drill = await opened(world);
    const { symbol, decimals } = coinOf(drill.world.network);
    const nothing = { differences: [], unanswered: [], cameIn: [] };
    assert.deepEqual(await compared(drill), nothing, 'the first comparison');
    await payAll(drill, 3);
    assert.deepEqual(await compared(drill), nothing, 'what left was payouts and fees');

    await sendElsewhere(drill, 7n * 10n ** BigInt(decimals), 3n);
    const isNamed = (text: string) =>
      new RegExp(`^[78]\\.?\\d* ${symbol} left between the blocks \\d+ and \\d+, and the books do not have it$`).test(
        text,
      );
    assert.equal((await compared(drill)).differences.filter(isNamed).length, 1);
    await drill.pass(40);
    const { differences } = await compared(drill);
    assert.equal(differences.filter(isNamed).length, 1, 'it stays a difference');
    assert.equal(differences.length, world === 'evm' ? 2 : 1, differences.join('\n'));
    await explainAll(drill, differences.find(isNamed)!, world === 'evm');
  });
}

test('incoming funds are noted, and a balance without an answer from a node is not confirmed', async () => {
  const drill = await opened('tron');
  await compared(drill);
  await payAll(drill, 1);
  // Refills the wallet.
  await drill.world.mend();
  await drill.pass(40);
  const { differences, unanswered, cameIn } = await compared(drill);
  assert.deepEqual([differences, unanswered], [[], []]);
  assert.match(cameIn.join('\n'), /^[\d.]+ trx came in between the blocks \d+ and \d+\n[\d.]+ usdt came in between/);

  const { chain, db } = drill;
  const silent = await compareSender(
    { db, payoutOwner: ORDER_RECORDS },
    { ...chain, balance: async () => undefined },
    chain.senders[0],
  );
  assert.deepEqual(silent.unanswered, ['no node reports its balance of trx', 'no node reports its balance of usdt']);
});
