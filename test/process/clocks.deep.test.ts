// Nodes on machines whose clocks differ: all of them use the clock of the database.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../harness/databases.ts';
import { ADDRESSES, CHARGE_PART } from '../harness/orders.ts';
import { type Over, ownFolder, startTrilho, type Trilho } from '../harness/process.ts';

/** A machine whose clock is off, for every time that the process reads. */
function clockOff(seconds: number): string {
  const shifted = `
    const RealDate = Date;
    globalThis.Date = class Date extends RealDate {
      constructor(...given) { given.length > 0 ? super(...given) : super(RealDate.now() + ${seconds * 1000}); }
      static now() { return RealDate.now() + ${seconds * 1000}; }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(shifted)}`;
}

async function startNode(t: Over, url: string, seconds: number): Promise<Trilho> {
  const folder = await ownFolder(t);
  return startTrilho({ folder, env: { DATABASE_URL: url, NODE_OPTIONS: clockOff(seconds) } });
}

const nowOf = async (node: Trilho) => Date.parse((await node.get('/sandbox/clock')).json.now);

test("nodes whose clocks differ by 20 s have one time, and accept each other's payments and wallets", async t => {
  const { url, drop } = await createDatabase();
  t.after(drop);
  const behind = await startNode(t, url, -20);
  const right = await startNode(t, url, 0);
  const times = [await nowOf(right), await nowOf(behind), await nowOf(right)];
  // As exact as half a round trip of the measurement, which is long on a busy machine.
  const slackMs = 5_000;
  assert.ok(times[1]! > times[0]! - slackMs && times[1]! < times[2]! + slackMs, times.join(' '));
  assert.match(behind.stderr(), /clock is off; the service uses the database's time/);
  assert.equal((await behind.get('/readyz')).status, 200);
  for (const [here, there] of [
    [right, behind],
    [behind, right],
  ] as const) {
    const accountId = here === right ? 'acme' : 'other';
    const wallet = { accountId, name: 'Treasury', network: 'polygon', address: ADDRESSES.evm };
    const walletId = (await here.post('/wallets', wallet)).json.id;
    const asked = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541, settlementSchedule: 'D0' };
    const order = await there.post('/crypto/transactions', { accountId, walletId, ...asked, charge: CHARGE_PART });
    assert.equal(order.status, 201, order.text);
    const paid = await here.post(`/sandbox/charges/${order.json.charge.id}/pay`, { method: 'pix' });
    assert.equal(paid.status, 200, paid.text);
  }
});

test('a node more than 30 s off is not ready', async t => {
  const { url, drop } = await createDatabase();
  t.after(drop);
  const node = await startNode(t, url, 60);
  const { status, json } = await node.get('/readyz');
  assert.deepEqual([status, json.code], [503, 'not_ready']);
  assert.match(json.detail, /^The clock of this machine is \d\d s off the database's\.$/);
});
