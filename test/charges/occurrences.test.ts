// The occurrences that a bank may report, for every bank and any amount: a charge, its file, the simulated bank, its return, and
// the charge afterwards. The deep tier has every occurrence, the first tier one of each meaning.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Meaning, occurrencesOf } from '@trilho/cnab';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { txidOf } from '../../src/rails/br-code.ts';
import { type CnabBank, openBank } from '../../src/sandbox/cnab-bank/bank.ts';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { BANKS } from '../packages/cnab/agreements.ts';
import { customerOf } from '../sandbox/cnab-bank/customers.ts';

const SEED = 240;
const TODAY = '2026-11-17';

let service: Service;
before(async () => {
  const boletos = BANKS.map(bank => agreementEntry(bank, { accounts: [`account-${bank}`], test: true }));
  const env = { TRILHO_BOLETOS: JSON.stringify(boletos), TRILHO_RATE_LIMIT: '0' };
  service = await startService({ env, now: `${TODAY}T15:00:00Z` });
});
after(() => service.stop());

/** How an entry is booked, and the boleto and the charge after it. */
const BOOKED: Readonly<Record<Meaning, readonly [outcome: string, boleto: string, state: string]>> = {
  registered: ['registered', 'REGISTERED', 'ACTIVE'],
  rejected: ['rejected', 'FAILED', 'FAILED'],
  paid: ['paid', 'PAID', 'PAID'],
  announced: ['noted', 'REGISTERED', 'ACTIVE'],
  written_off: ['written_off', 'CANCELED', 'CANCELED'],
  due_day_changed: ['noted', 'REGISTERED', 'ACTIVE'],
  reversed: ['reversed', 'PAID', 'REFUNDED'],
  refused: ['needs_attention', 'REGISTERED', 'ACTIVE'],
  fee: ['fee', 'REGISTERED', 'ACTIVE'],
  confirmed: ['noted', 'REGISTERED', 'ACTIVE'],
  other: ['noted', 'REGISTERED', 'ACTIVE'],
  unknown: ['needs_attention', 'REGISTERED', 'ACTIVE'],
};

/** An event of the charge; `charge.active` if nothing else has happened to it. */
const EVENT: Readonly<Partial<Record<Meaning, string>>> = {
  rejected: 'charge.failed',
  paid: 'charge.paid',
  written_off: 'charge.canceled',
  reversed: 'charge.returned',
};

type Traces = { readonly id: string; readonly books: Record<string, number>; readonly events: readonly string[] };

/** The ledger lines of each charge, and its events. A boleto is receivable until its credit day. */
async function tracesOf(cases: readonly Case[]): Promise<Map<string, Traces>> {
  const rows = await service.sql<Traces>(
    `select c.id,
            (select coalesce(json_object_agg(book, sum), '{}') from (
               select book, sum(amount)::bigint as sum from ledger_lines l
                 join ledger_entries e on e.id = l.entry_id and e.account_id = l.account_id
                where e.charge_id = c.id group by book having sum(amount) <> 0) b) as books,
            (select json_agg(type order by sequence) from events where object_id = c.id) as events
       from charges c where c.id = any($1)`,
    [cases.map(({ id }) => id)],
  );
  return new Map(rows.map(row => [row.id, row]));
}

/** No bank has this code. */
const UNKNOWN = ['99', { meaning: 'unknown' }] as const;

const hasMoney = (meaning: Meaning) => meaning === 'paid' || meaning === 'reversed';

/** Per meaning; no bank has as many occurrences. */
const MOST_OF_A_MEANING = 1_000;

/** Every one in the deep tier, the first one of each meaning in the first. */
function occurrencesToReport(code: string): [occurrence: string, { meaning: Meaning }][] {
  const all: [string, { meaning: Meaning }][] = [...Object.entries(occurrencesOf(code)), [...UNKNOWN]];
  const isWhole = scaled(MOST_OF_A_MEANING) === MOST_OF_A_MEANING;
  return isWhole ? all : [...Map.groupBy(all, ([, { meaning }]) => meaning).values()].map(([first]) => first!);
}

/** Such an occurrence is the bank's first answer about a title. */
const isDecision = (meaning: Meaning) => meaning === 'registered' || meaning === 'rejected';

type Case = { readonly occurrence: string; readonly meaning: Meaning; readonly id: string; readonly cents: number };

async function send(code: string, agreement: string): Promise<CnabBank> {
  await service.runJobs();
  const { json } = await service.post('/boletos/files', { agreement });
  const [{ sequence }] = json.files;
  const content = await service.get(`/boletos/files/${encodeURIComponent(agreement)}/${sequence}/content`);
  const bank = openBank(customerOf(code));
  bank.take(Buffer.from(content.text, 'latin1'), TODAY);
  // Its own answer is dropped: each case has one of its own.
  return openBank(customerOf(code), { ...bank.state(), news: [] });
}

async function bring(bank: CnabBank): Promise<Record<string, number>> {
  const body = new Uint8Array(bank.makeReturn({ day: TODAY, time: '180000' }));
  const headers = { 'content-type': 'application/octet-stream' };
  const { status, json, text }: Answer = await service.send('/boletos/returns', { method: 'POST', body, headers });
  assert.equal(status, 201, text);
  assert.deepEqual(
    json.warnings.filter(({ message }: { message: string }) => !/the trailer counts|occurrence 99/.test(message)),
    [],
  );
  await service.runJobs();
  return json.counts;
}

for (const code of BANKS) {
  test(`each occurrence of bank ${code} has its effect on a charge of any amount, once`, async () => {
    const random = randomOf(SEED, Number(code));
    const cases = await Promise.all(
      occurrencesToReport(code).map(async ([occurrence, { meaning }]): Promise<Case> => {
        const cents = 1 + random.below(10 ** (1 + random.below(8)));
        const { status, json, text } = await service.post(
          '/charges',
          boletoBody({ accountId: `account-${code}`, amountCents: cents, externalId: `${code} ${occurrence}` }),
        );
        assert.equal(status, 201, text);
        return { occurrence, meaning, id: json.id, cents };
      }),
    );
    const bank = await send(code, `bank${code}:main`);
    const titles = Object.values(bank.state().titles);
    const numbers = cases.map(({ id }) => titles.find(({ ownId }) => ownId.trim() === txidOf(id))?.number);
    for (const [index, { meaning }] of cases.entries()) {
      if (!isDecision(meaning)) bank.report(numbers[index]!, '02', TODAY);
      if (meaning === 'reversed') bank.report(numbers[index]!, '06', TODAY, { paidCents: BigInt(cases[index]!.cents) });
    }
    await bring(bank);
    const reportAll = () =>
      cases.forEach(({ occurrence, meaning, cents }, index) => {
        const reasons = meaning === 'rejected' || meaning === 'refused' ? ['08', '16'] : [];
        const paid = { paidCents: BigInt(cents), feeCents: meaning === 'paid' ? 1n : 0n };
        bank.report(numbers[index]!, occurrence, TODAY, { reasons, ...(hasMoney(meaning) && paid) });
      });
    reportAll();
    const expected = Map.groupBy(cases, ({ meaning }) => BOOKED[meaning][0]);
    const counts = Object.fromEntries([...expected].map(([outcome, some]) => [outcome, some.length]));
    assert.deepEqual(await bring(bank), counts);
    const before = await tracesOf(cases);
    for (const { id, occurrence, meaning, cents } of cases) {
      const charge = (await service.get(`/charges/${id}`)).json;
      const [, status, state] = BOOKED[meaning];
      assert.deepEqual([charge.boleto.status, charge.state], [status, state], `occurrence ${occurrence}`);
      const amounts = charge.payments.map((payment: { amountCents: number }) => payment.amountCents);
      assert.deepEqual(amounts, hasMoney(meaning) ? [cents] : []);
      if (meaning === 'rejected') assert.match(charge.boleto.reason, /08 invalid nosso número, 16 invalid due day/);
      const received = hasMoney(meaning) && { payer: -cents, receivable: cents };
      // A return is taken from the account at the bank, also before the credit day.
      const returned = meaning === 'reversed' && { refund: cents, settled: -cents };
      const books = { ...received, ...returned };
      const traces = before.get(id);
      assert.deepEqual(traces?.books, books, `occurrence ${occurrence}`);
      assert.ok(traces.events.includes(EVENT[meaning] ?? 'charge.active'), `occurrence ${occurrence}`);
    }
    reportAll();
    assert.deepEqual(await bring(bank), { repeated: cases.length }, 'reported again in another file');
    assert.deepEqual(await tracesOf(cases), before);
  });
}

test('the ledger is right in the end', async () => {
  const env = { TRILHO_MODE: 'sandbox', DATABASE_URL: service.databaseUrl };
  assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
});
