// The ledger and the orders after random histories: the books are right at every moment, and in the end no order waits for
// nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ENTRY_KINDS, type EntryKind } from '../../src/ledger/entry.ts';
import { ORDER_EVENTS } from '../../src/orders/order.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { runHistory } from '../harness/histories.ts';
import { silentLog } from '../harness/log.ts';
import { clearFaults, newOrderHistory, ORDER_MOVES } from '../harness/order-histories.ts';
import { differences, faultsOf, stuckOrders } from '../harness/order-proof.ts';
import { randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

const SEED = 7;
const ALL_HISTORIES = 5;
const HISTORIES = scaled(ALL_HISTORIES);
const MOVES = scaled(40, 25);

let service: Service;
let db: Database;
before(async () => {
  service = await startService({ env: { TRILHO_FEE_PERCENT: '1.5' } });
  db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog, maxConnections: 2 });
});
after(async () => {
  await db.close();
  await service.stop();
});

/** Entries of what operators decide, in test/payouts, and of what banks keep, in test/charges: the sandbox's bank keeps nothing. */
const ELSEWHERE: readonly EntryKind[] = [
  'bank_fee',
  'cold_sweep',
  'cold_sweep_undone',
  'mismatch_settled',
  'top_up',
  'top_up_undone',
];

async function distinct(rows: string, word: string): Promise<string[]> {
  const found = await service.sql<{ word: string }>(
    `select distinct w.word from (select ${word} as word from ${rows}) w`,
  );
  return found.map(row => row.word).sort();
}

test('random histories leave a ledger that is right and no order that waits for nothing', async () => {
  for (let index = 0; index < HISTORIES; index++) {
    const state = newOrderHistory(service, `history-${index}`);
    const trail = await runHistory(ORDER_MOVES, state, randomOf(SEED, index), MOVES);
    const story = `seed ${SEED}, history ${index}: ${trail.join(', ')}`;
    assert.deepEqual(await differences(db), [], story);
    // Good fault, and days enough for every boleto, schedule and look.
    await clearFaults(state);
    await service.runJobs();
    await state.driver.advance('P10D');
    assert.deepEqual(await faultsOf(service, db), [], story);
    assert.deepEqual(await stuckOrders(service), [], story);
  }
  // A part of the histories need not go every way.
  if (HISTORIES < ALL_HISTORIES) return;
  assert.deepEqual(
    await distinct('ledger_entries', 'kind'),
    ENTRY_KINDS.filter(kind => !ELSEWHERE.includes(kind)).toSorted(),
    'money and crypto move in every way',
  );
  assert.deepEqual(await distinct(`orders where status = 'fulfilled'`, 'currency'), ['BRL', 'USD']);
  const told = await distinct(`events where type like 'crypto_transaction.%'`, `split_part(type, '.', 2)`);
  assert.deepEqual(told, [...ORDER_EVENTS].sort(), 'orders go every way');
});
