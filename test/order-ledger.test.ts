// The ledger and the orders after random histories: right after each, and nothing is stuck.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { runHistory } from './harness/histories.ts';
import { silentLog } from './harness/log.ts';
import { clearWeather, newOrderHistory, ORDER_MOVES, type OrderHistory } from './harness/order-histories.ts';
import { differences, faultsOf, stuckOrders } from './harness/order-proof.ts';
import { randomOf } from './harness/random.ts';
import { type Service, startService } from './harness/service.ts';

const SEED = Number(process.env['HISTORY_SEED'] ?? 7);
const HISTORIES = Number(process.env['HISTORIES'] ?? 12);
const MOVES = 40;

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

/** Good weather, and days enough for every boleto, schedule and look. */
async function settleDown(state: OrderHistory): Promise<void> {
  await clearWeather(state);
  await service.runJobs();
  await state.driver.advance('P10D');
}

test('random histories leave a ledger that is right and no order that waits for nothing', async () => {
  for (let index = 0; index < HISTORIES; index++) {
    const state = newOrderHistory(service, `history-${index}`);
    const trail = await runHistory(ORDER_MOVES, state, randomOf(SEED, index), MOVES);
    const story = `seed ${SEED}, history ${index}: ${trail.join(', ')}`;
    assert.deepEqual(await differences(db), [], story);
    await settleDown(state);
    assert.deepEqual(await faultsOf(service, db), [], story);
    assert.deepEqual(await stuckOrders(service), [], story);
  }
  const seen = await service.sql<{ word: string; count: number }>(`
    select coalesce(hold_reason, ended_as, status) as word, count(*)::int as count from crypto_transactions group by 1 order by 1`);
  console.log(seen);
});
