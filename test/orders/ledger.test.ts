// The ledger and the orders after random histories: the books are right at every moment, and in the end no order is stuck.
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

/**
 * Entries by decisions of operators are tested in test/payouts, and disputes and fees of banks in test/charges: the sandbox's bank takes no
 * fee.
 */
const ELSEWHERE: readonly EntryKind[] = [
  'bank_fee',
  'cold_sweep',
  'cold_sweep_undone',
  'dispute_ended',
  'dispute_opened',
  'mismatch_settled',
  'refund_undone',
  'top_up',
  'top_up_undone',
];

async function distinct(rows: string, word: string): Promise<string[]> {
  const found = await service.sql<{ word: string }>(
    `select distinct w.word from (select ${word} as word from ${rows}) w`,
  );
  return found.map(row => row.word).sort();
}

test('after random histories the ledger is right and no order is stuck', async () => {
  for (let index = 0; index < HISTORIES; index++) {
    const state = newOrderHistory(service, `history-${index}`);
    const trail = await runHistory(ORDER_MOVES, state, randomOf(SEED, index), MOVES);
    const story = `seed ${SEED}, history ${index}: ${trail.join(', ')}`;
    assert.deepEqual(await differences(db), [], story);
    // No faults, and enough days for every boleto, schedule and look.
    await clearFaults(state);
    await service.runJobs();
    await state.driver.advance('P10D');
    assert.deepEqual(await faultsOf(service, db), [], story);
    assert.deepEqual(await stuckOrders(service), [], story);
  }
  // A part of the histories need not cover everything.
  if (HISTORIES < ALL_HISTORIES) return;
  assert.deepEqual(
    await distinct('ledger_entries', 'kind'),
    ENTRY_KINDS.filter(kind => !ELSEWHERE.includes(kind)).toSorted(),
    'every kind of ledger entry occurs',
  );
  assert.deepEqual(await distinct(`orders where status = 'fulfilled'`, 'currency'), ['BRL', 'USD']);
  const occurred = await distinct(`events where type like 'crypto_transaction.%'`, `split_part(type, '.', 2)`);
  assert.deepEqual(occurred, [...ORDER_EVENTS].sort(), 'every event of orders occurs');
});
