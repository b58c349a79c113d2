// The ledger: the entries of each movement, what the database refuses, and the proof that the books are right.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { checkLedger } from '../../src/ledger/check.ts';
import { cryptoCurrency, formatAmount } from '../../src/ledger/currency.ts';
import { commitmentEntry, paymentEntry, payoutEntry, releaseEntry } from '../../src/ledger/entries.ts';
import { BOOKS, ENTRY_KINDS, type Entry } from '../../src/ledger/entry.ts';
import { postEntries } from '../../src/ledger/store.ts';
import { StartError } from '../../src/lib/errors.ts';
import { uuidV7 } from '../../src/lib/ids.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { createDatabase } from '../harness/databases.ts';
import { CHARGE_MOVES, newHistory, runHistory } from '../harness/histories.ts';
import { silentLog } from '../harness/log.ts';
import { randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

const START = '2026-11-16T12:00:00.000Z';
const AT = new Date(START);

let service: Service;
let db: Database;
before(async () => {
  service = await startService({ now: START });
  db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog, maxConnections: 2 });
});
after(async () => {
  await db.close();
  await service.stop();
});
beforeEach(() => service.sql('update sandbox_clock set ahead_ms = 0, halted_at = null, halted_until = null'));

let accounts = 0;
const newAccount = () => `account-${++accounts}`;

async function make(accountId: string, changes: Record<string, unknown> = {}): Promise<string> {
  const made = await service.post('/charges', chargeBody({ accountId, ...changes }));
  assert.equal(made.status, 201, made.text);
  await service.runJobs();
  return made.json.id;
}

async function pay(id: string, body: Record<string, unknown>): Promise<void> {
  const paid = await service.post(`/sandbox/charges/${id}/pay`, body);
  assert.equal(paid.status, 200, paid.text);
}

async function refund(id: string, body: Record<string, unknown> = {}): Promise<void> {
  const asked = await service.post(`/charges/${id}/refunds`, body);
  assert.equal(asked.status, 201, asked.text);
  await service.runJobs();
}

const move = (to: string) => service.post('/sandbox/clock', { to });

/** Balances of an account as `book amount`, zeros included. */
async function books(accountId: string, of = service): Promise<string[]> {
  const { json } = await of.get(`/ledger/balances?accountId=${accountId}`);
  for (const sum of Object.values(json.sums)) assert.equal(sum, '0');
  return json.balances.map(
    ({ book, currency, amount }: Record<string, string>) =>
      `${book}${currency === 'BRL' ? '' : ` ${currency}`} ${amount}`,
  );
}

/** Entries of a charge from its first to its last, as `kind: book amount, book amount`. */
async function entries(chargeId: string): Promise<string[]> {
  const { json } = await service.get(`/ledger/entries?chargeId=${chargeId}`);
  return json.entries
    .toReversed()
    .map(
      ({ kind, lines }: { kind: string; lines: Record<string, string>[] }) =>
        `${kind}: ${lines.map(({ book, amount }) => `${book} ${amount}`).join(', ')}`,
    );
}

/** The differences; empty when the ledger is right. */
async function differences(of: Database = db): Promise<string[]> {
  const results = await checkLedger(of, LEDGER_CHECKS);
  return results.flatMap(result =>
    result.differences.map(d => `${d.check}: ${d.objectId} ${d.currency} ${d.expected} ${d.found}`),
  );
}

describe('a movement of a charge posts', () => {
  test('a pix as settled money', async () => {
    const account = newAccount();
    const id = await make(account);
    assert.deepEqual(await books(account), []);
    await pay(id, { method: 'pix' });
    assert.deepEqual(await entries(id), ['payment: settled 159.90, payer -159.90']);
    assert.deepEqual(await books(account), ['payer -159.90', 'settled 159.90']);
  });

  test('a paid boleto as owed by the bank, until it is credited', async () => {
    const account = newAccount();
    const id = await make(account);
    await pay(id, { method: 'boleto' });
    assert.deepEqual(await books(account), ['payer -159.90', 'receivable 159.90']);
    assert.deepEqual(await differences(), []);
    await move('2026-11-17T03:00:00Z');
    assert.deepEqual(await entries(id), [
      'payment: receivable 159.90, payer -159.90',
      'settlement: settled 159.90, receivable -159.90',
    ]);
    assert.deepEqual(await books(account), ['payer -159.90', 'receivable 0.00', 'settled 159.90']);
    const { json } = await service.get(`/ledger/entries?chargeId=${id}`);
    assert.equal(json.entries[0].at, '2026-11-17T03:00:00.000Z');
    assert.equal(json.entries[0].causeId, id);
  });

  test('a whole batch of credited boletos, each once', async () => {
    const account = newAccount();
    const ids = await Promise.all(Array.from({ length: 8 }, (_, index) => make(account, { amountCents: 100 + index })));
    for (const id of ids) await pay(id, { method: 'boleto' });
    await move('2026-11-18T12:00:00Z');
    assert.deepEqual(await books(account), ['payer -8.28', 'receivable 0.00', 'settled 8.28']);
  });

  test('a repeat payment as settled money, by either method', async () => {
    const account = newAccount();
    const id = await make(account);
    await pay(id, { method: 'boleto' });
    await pay(id, { method: 'boleto', amountCents: 5 });
    await pay(id, { method: 'pix', amountCents: 100 });
    assert.deepEqual(await books(account), ['payer -160.95', 'receivable 159.90', 'settled 1.05']);
    await move('2026-11-20T12:00:00Z');
    assert.deepEqual(await books(account), ['payer -160.95', 'receivable 0.00', 'settled 160.95']);
  });

  test('the same reference once', async () => {
    const account = newAccount();
    const id = await make(account);
    const body = { amountCents: 15_990, reference: 'E9999999920261116120000000000077' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.post(`/charges/${id}/payments`, body)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.deepEqual(await books(account), ['payer -159.90', 'settled 159.90']);
  });

  test('a payment after the charge expired', async () => {
    const account = newAccount();
    const id = await make(account);
    await move('2027-02-01T12:00:00Z');
    await pay(id, { method: 'boleto', amountCents: 12_345 });
    await move('2027-02-03T12:00:00Z');
    assert.deepEqual(await entries(id), [
      'payment: receivable 123.45, payer -123.45',
      'settlement: settled 123.45, receivable -123.45',
    ]);
  });

  test('a boleto that is reported after its credit, in the order of both', async () => {
    const id = await make(newAccount());
    await move('2026-11-30T12:00:00Z');
    await pay(id, { method: 'boleto', at: START });
    await move('2026-11-30T12:00:01Z');
    assert.deepEqual(
      (await entries(id)).map(entry => entry.split(':')[0]),
      ['payment', 'settlement'],
    );
  });

  test('a refund when it is done, in parts and as a whole', async () => {
    const account = newAccount();
    const id = await make(account);
    await pay(id, { method: 'pix' });
    const asked = await service.post(`/charges/${id}/refunds`, { amountCents: 5_000 });
    assert.equal(asked.json.status, 'PENDING');
    assert.deepEqual(await books(account), ['payer -159.90', 'settled 159.90'], 'asked for, nothing moves');
    await service.runJobs();
    assert.deepEqual(await books(account), ['payer -159.90', 'refund 50.00', 'settled 109.90']);
    await refund(id);
    assert.deepEqual(await books(account), ['payer -159.90', 'refund 159.90', 'settled 0.00']);
  });

  test('nothing for a refund that fails, and one entry if the reply was lost', async () => {
    const account = newAccount();
    const id = await make(account, { amountCents: 30_000 });
    await pay(id, { method: 'pix' });
    await refund(id, { amountCents: 9_001 });
    assert.deepEqual(await books(account), ['payer -300.00', 'settled 300.00']);
    await refund(id, { amountCents: 9_003 });
    await service.runJobs();
    assert.deepEqual(await books(account), ['payer -300.00', 'refund 90.03', 'settled 209.97']);
  });

  test('the excess of a charge that was paid twice', async () => {
    const account = newAccount();
    const id = await make(account);
    await pay(id, { method: 'boleto' });
    await pay(id, { method: 'pix' });
    await refund(id, { excess: true });
    assert.deepEqual(await books(account), ['payer -319.80', 'receivable 159.90', 'refund 159.90', 'settled 0.00']);
    assert.deepEqual(await differences(), []);
  });

  test('a refund of a boleto that is not credited yet as money advanced', async () => {
    const account = newAccount();
    const id = await make(account);
    await pay(id, { method: 'boleto' });
    await refund(id);
    assert.deepEqual(await books(account), ['payer -159.90', 'receivable 159.90', 'refund 159.90', 'settled -159.90']);
    await move('2026-11-17T03:00:00Z');
    assert.deepEqual(await books(account), ['payer -159.90', 'receivable 0.00', 'refund 159.90', 'settled 0.00']);
    assert.deepEqual(await differences(), []);
  });
});

describe('an order', () => {
  // The check would report commitments without their orders.
  let orders: Service;
  before(async () => {
    orders = await startService();
  });
  after(() => orders.stop());

  async function post(entries: readonly Entry[]): Promise<void> {
    const own = openDatabase({ connection: { connectionString: orders.databaseUrl }, log: silentLog });
    await own.transaction(tx => postEntries(tx, entries));
    await own.close();
  }

  const order = (accountId: string) =>
    ({
      accountId,
      at: AT,
      orderId: uuidV7(AT),
      commitmentId: uuidV7(AT),
      keptCents: 10_000n,
      feeCents: 150n,
      symbol: 'usdt',
      network: 'bsc',
      units: 18_240_000_000_000_000_001n,
    }) as const;

  test('posts its commitment, and its payout', async () => {
    const account = newAccount();
    const commitment = order(account);
    const commit = commitmentEntry({ ...commitment, id: uuidV7(AT) });
    await post([commit]);
    assert.deepEqual(await books(account, orders), [
      'exchange -98.50',
      'fee -1.50',
      'payer 100.00',
      'crypto_owed usdt.bsc -18.240000000000000001',
      'exchange usdt.bsc 18.240000000000000001',
    ]);
    const payout = payoutEntry({ ...commitment, id: uuidV7(AT), payoutId: uuidV7(AT) });
    await post([payout]);
    assert.deepEqual((await books(account, orders)).slice(3), [
      'crypto_owed usdt.bsc 0',
      'crypto_paid usdt.bsc -18.240000000000000001',
      'exchange usdt.bsc 18.240000000000000001',
    ]);
    const { json } = await orders.get(`/ledger/entries?transactionId=${commitment.orderId}`);
    assert.deepEqual(
      json.entries.map(({ kind }: { kind: string }) => kind),
      ['payout', 'commitment'],
    );
    const crypto = await orders.get(`/ledger/balances?accountId=${account}&currency=usdt.bsc`);
    assert.deepEqual(crypto.json.sums, { 'usdt.bsc': '0' });
    assert.equal(crypto.json.balances.length, 3);
  });

  test('that is released leaves every book at zero, and can be committed again', async () => {
    const account = newAccount();
    const first = order(account);
    const commit = commitmentEntry({ ...first, id: uuidV7(AT) });
    const release = releaseEntry({ ...first, id: uuidV7(AT) });
    await post([commit, release]);
    for (const line of await books(account, orders)) assert.match(line, / (0|0\.00)$/);
    const again = commitmentEntry({ ...first, id: uuidV7(AT), commitmentId: uuidV7(AT), feeCents: 0n });
    await post([again]);
    assert.ok((await books(account, orders)).includes('exchange -100.00'));
  });

  test('posts no line of zero, and refuses a fee above what is kept', () => {
    const free = commitmentEntry({ ...order('any'), id: uuidV7(AT), feeCents: 0n });
    assert.ok(!free.lines.some(({ book }) => book === 'fee'));
    assert.throws(() => commitmentEntry({ ...order('any'), id: uuidV7(AT), feeCents: 10_001n }));
    assert.throws(() => payoutEntry({ ...order('any'), id: uuidV7(AT), payoutId: uuidV7(AT), units: 0n }));
  });
});

test('amounts are exact decimals of their currency', () => {
  assert.equal(formatAmount('BRL', 15_990n), '159.90');
  assert.equal(formatAmount('BRL', -5n), '-0.05');
  assert.equal(formatAmount('BRL', 0n), '0.00');
  assert.equal(formatAmount(cryptoCurrency('usdt', 'polygon'), 12_500_000n), '12.5');
  assert.equal(formatAmount(cryptoCurrency('usdt', 'bsc'), -1n), '-0.000000000000000001');
});

describe('the database', () => {
  const newEntry = (accountId: string) =>
    paymentEntry({
      id: uuidV7(AT),
      accountId,
      at: AT,
      chargeId: uuidV7(AT),
      paymentId: uuidV7(AT),
      amountCents: 1_234n,
      isReceivable: false,
    });

  test('posts the same cause once and completely, with any repeats and ids', async () => {
    const account = newAccount();
    const entry = newEntry(account);
    const again = { ...entry, id: uuidV7(AT) };
    const undone = db.transaction(async tx => {
      await postEntries(tx, [entry]);
      await postEntries(tx, [entry, again]);
      await postEntries(tx, [again, newEntry(account)]);
      const [count] = await tx.query<{ entries: string; lines: string }>(
        `select (select count(*) from ledger_entries where account_id = $1) as entries,
                (select count(*) from ledger_lines where account_id = $1) as lines`,
        [account],
      );
      assert.deepEqual(count, { entries: '2', lines: '4' });
      throw new Error('roll back');
    });
    await assert.rejects(undone, /roll back/);
  });

  test('refuses lines that do not sum to zero in each currency, and lines of zero', async () => {
    const entry = newEntry(newAccount());
    const [plus, minus] = entry.lines;
    const post = (lines: typeof entry.lines) => db.transaction(tx => postEntries(tx, [{ ...entry, lines }]));
    await assert.rejects(post([plus!]), /do not sum to zero/);
    await assert.rejects(post([plus!, { ...minus!, amount: minus!.amount + 1n }]), /do not sum to zero/);
    await assert.rejects(post([plus!, { ...minus!, currency: 'usdt.bsc' }]), /do not sum to zero/);
    await assert.rejects(post([plus!, minus!, { book: 'fee', currency: 'BRL', amount: 0n }]), { code: '23514' });
    // A correct entry does not let a wrong one pass.
    const wrong = { ...newEntry(entry.accountId), lines: [plus!] };
    await assert.rejects(
      db.transaction(tx => postEntries(tx, [entry, wrong])),
      /do not sum to zero/,
    );
    assert.deepEqual(await books(entry.accountId), []);
  });

  test('knows the same books and kinds of entries as the code', async () => {
    const rows = await service.sql<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
        where conname in ('ledger_entries_kind_check', 'ledger_lines_book_check') order by conname`,
    );
    const listed = rows.map(row => [...row.definition.matchAll(/'(\w+)'/g)].map(match => match[1]));
    assert.deepEqual(listed, [ENTRY_KINDS, BOOKS]);
  });

  test('refuses every change of a posted entry', async () => {
    await pay(await make(newAccount()), { method: 'pix' });
    for (const statement of [
      'update ledger_lines set amount = amount * 2',
      'delete from ledger_lines',
      'truncate ledger_lines',
      `update ledger_entries set kind = 'refund' where false`,
      'delete from ledger_entries',
      'truncate ledger_entries cascade',
    ]) {
      await assert.rejects(service.sql(statement), /only added to/, statement);
    }
  });
});

describe('the lists', () => {
  test('of entries are filtered, newest first and paged', async () => {
    const account = newAccount();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++) {
      const id = await make(account);
      await move(`2026-11-16T1${3 + index}:00:00Z`);
      await pay(id, { method: 'pix' });
      ids.unshift(id);
    }
    const all = (await service.get(`/ledger/entries?accountId=${account}`)).json;
    assert.deepEqual(
      all.entries.map(({ chargeId }: { chargeId: string }) => chargeId),
      ids,
    );
    const second = (await service.get(`/ledger/entries?accountId=${account}&pageSize=1&page=2`)).json;
    assert.deepEqual(second.entries, [all.entries[1]]);
    assert.deepEqual([second.total, second.totalPages, second.currentPage, second.hasMore], [3, 3, 2, true]);
    const past = (await service.get(`/ledger/entries?accountId=${account}&page=9`)).json;
    assert.deepEqual([past.entries, past.total, past.hasMore], [[], 3, false]);
    const early = await service.get(`/ledger/entries?accountId=${account}&to=2026-11-16T13:00Z`);
    assert.deepEqual(
      early.json.entries.map(({ chargeId }: { chargeId: string }) => chargeId),
      [ids[2]],
    );
    assert.equal((await service.get(`/ledger/entries?chargeId=${uuidV7(AT)}`)).json.total, 0);
  });

  test('refuse unknown filters', async () => {
    for (const query of [
      '/ledger/entries?chargeId=1',
      '/ledger/entries?from=2026-11-17T00:00Z&to=2026-11-16T00:00Z',
      '/ledger/entries?book=payer',
      '/ledger/balances?currency=usdt',
      '/ledger/balances?page=1',
    ]) {
      assert.equal((await service.get(query)).status, 400, query);
    }
  });

  test('of balances separate accounts and currencies, and sum to zero over all', async () => {
    const account = newAccount();
    await pay(await make(account), { method: 'pix' });
    const all = (await service.get('/ledger/balances')).json;
    assert.ok(all.balances.length > 2);
    assert.equal(all.sums.BRL, '0');
    assert.equal(all.hasMore, false);
    const mine = all.balances.filter(({ accountId }: { accountId: string }) => accountId === account);
    assert.deepEqual(mine, (await service.get(`/ledger/balances?accountId=${account}&currency=BRL`)).json.balances);
  });
});

/** Every line that payments, credited boletos and refunds must have posted, derived from their tables alone. */
const EXPECTED_LINES = `
  select 'payment' as kind, id as cause_id, account_id, charge_id, paid_at as at, book, 'BRL' as currency,
         sign * amount_cents::numeric as amount
    from payments
   cross join lateral (values
     ('payer', -1), (case when method = 'boleto' and not is_repeat then 'receivable' else 'settled' end, 1)) side (book, sign)
  union all
  select 'settlement', p.charge_id, p.account_id, p.charge_id, m.updated_at, book, 'BRL', sign * p.amount_cents
    from payments p
    join charge_methods m
      on m.charge_id = p.charge_id and m.account_id = p.account_id and m.method = 'boleto' and m.status = 'SETTLED'
   cross join (values ('settled', 1), ('receivable', -1)) side (book, sign)
   where p.method = 'boleto' and not p.is_repeat
  union all
  select 'refund', id, account_id, charge_id, updated_at, book, 'BRL', sign * amount_cents
    from refunds cross join (values ('refund', 1), ('settled', -1)) side (book, sign)
   where status = 'DONE'
   order by kind, cause_id, book`;

const POSTED_LINES = `
  select e.kind, e.cause_id, e.account_id, e.charge_id, e.at, l.book, l.currency, l.amount
    from ledger_entries e join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id
   where e.kind in ('payment', 'settlement', 'refund')
   order by kind, cause_id, book`;

test('after random histories the ledger is right, line by line', async () => {
  const seed = 18;
  for (let index = 0; index < scaled(20, 4); index++) {
    const trail = await runHistory(CHARGE_MOVES, newHistory(service, `history-${index}`), randomOf(seed, index), 20);
    assert.deepEqual(await differences(), [], `seed ${seed}, history ${index}: ${trail.join(', ')}`);
  }
  const kinds = await service.sql<{ kind: string }>(
    `select kind from ledger_entries where account_id like 'history-%' group by kind having count(*) >= $1 order by kind`,
    [scaled(8, 2)],
  );
  assert.deepEqual(
    kinds.map(({ kind }) => kind),
    ['payment', 'refund', 'settlement'],
    'every kind of ledger entry occurs',
  );

  assert.deepEqual(await service.sql(POSTED_LINES), await service.sql(EXPECTED_LINES));
});

// The last test of the file, because it leaves a wrong ledger.
test('trilho ledger check confirms a correct ledger, and names the differences in a wrong one', async t => {
  const run = (word: string, url = service.databaseUrl) => runCommand(ledgerCommand, { DATABASE_URL: url }, [word]);
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  const right = await run('check');
  assert.equal(right.code, 0, right.said);
  assert.match(right.said, /^entries sum to zero +right$/m);
  assert.match(right.said, /^The ledger is right\.$/m);
  await assert.rejects(run('mend'), refused(/^trilho ledger: "mend" is not known; it takes check/));
  const empty = await createDatabase('template0');
  t.after(() => empty.drop());
  await assert.rejects(run('check', empty.url), refused(/start the service once/));

  const account = newAccount();
  const [honest, robbed, forgotten] = [await make(account), await make(account), await make(account)];
  for (const id of [honest, robbed, forgotten]) await pay(id, { method: 'pix' });
  await service.sql('alter table ledger_lines disable trigger user');
  await service.sql('alter table ledger_entries disable trigger user');
  const [entry] = await service.sql<{ id: string }>('select id from ledger_entries where charge_id = $1', [robbed]);
  await service.sql(`update ledger_lines set amount = 15989 where entry_id = $1 and book = 'settled'`, [entry!.id]);
  await service.sql('delete from ledger_lines using ledger_entries e where e.id = entry_id and charge_id = $1', [
    forgotten,
  ]);
  const [bare] = await service.sql<{ id: string }>('select id from ledger_entries where charge_id = $1', [forgotten]);
  assert.deepEqual(
    (await differences()).sort(),
    [
      `books sum to zero: ${account} BRL 0 -1`,
      `entries have lines: ${bare!.id}  1 0`,
      `entries sum to zero: ${entry!.id} BRL 0 -1`,
      `kept balances are the sums of lines: ${account} payer BRL -31980 -47970`,
      `kept balances are the sums of lines: ${account} settled BRL 31979 47970`,
      `payments are in payer: ${forgotten} BRL -15990 0`,
      `the rest is in settled: ${forgotten} BRL 15990 0`,
      `the rest is in settled: ${robbed} BRL 15990 15989`,
    ].sort(),
  );
  const wrong = await run('check');
  assert.equal(wrong.code, 1, wrong.said);
  assert.match(wrong.said, /^the rest is in settled +2 differ$/m);
  assert.ok(wrong.said.includes(`the rest is in settled: ${robbed} BRL expected 15990, found 15989\n`), wrong.said);
  assert.ok(!wrong.said.includes(honest));
  assert.match(wrong.said, /^The ledger is not right\.$/m);
});
