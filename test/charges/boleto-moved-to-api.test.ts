// An agreement that moves from files to the bank's API, under the same name.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import { civilDay, DAY_MS } from '../../src/lib/civil-days.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { apiEntry, BOLETO_RAIL } from '../harness/boleto-bank.ts';
import { type FileExchangeBench, type SentBoleto, startFileExchange } from '../harness/file-exchange.ts';
import { silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

const AMOUNT = 15_990n;
const ADDRESS = { postalCode: '01001000', city: 'Sao Paulo', state: 'SP', street: 'Rua das Flores' };

let psp: Psp;
let bench: FileExchangeBench;
let service: Service | undefined;
before(async () => {
  const started = { now: () => bench?.service.clock.now() ?? new Date('2026-11-17T12:00:00Z') };
  psp = await startTestPsp({ profile: 'sicoob', clock: started });
  const { api: _, ...byFiles } = apiEntry(psp);
  bench = await startFileExchange('756', byFiles);
});
after(async () => {
  await service?.stop();
  await bench.stop();
  await psp.stop();
});

/** The bank registers a boleto that was sent in a file. */
async function registerAtBank(boleto: SentBoleto): Promise<string> {
  const charge = await bench.charge(boleto);
  const { rails, stop } = liveRails(
    { rails: [], boletos: [apiEntry(psp)] },
    { clock: bench.service.clock, log: silentLog },
  );
  const outcome = await rails.boleto.submit(
    {
      id: charge.id,
      amountCents: AMOUNT,
      createdAt: new Date(charge.createdAt),
      expireAt: new Date(charge.expireAt),
      dueDay: civilDay(new Date(charge.dueAt)),
      expireDay: civilDay(new Date(charge.expireAt)),
      payer: { name: 'Maria da Silva', document: '52998224725', address: ADDRESS },
    },
    boleto.reference,
  );
  stop();
  assert.equal(outcome.kind, 'registered', JSON.stringify(outcome));
  return psp.state().titles.at(-1)!.line;
}

test('payments since the last return are found, and those in a return are not counted again', async () => {
  const [early, late] = (await bench.send({}, {})) as [SentBoleto, SentBoleto];
  const lines = [await registerAtBank(early), await registerAtBank(late)] as const;
  const entry = { amountCents: AMOUNT, day: '17112026' };
  const paid = { occurrence: '06', paidCents: AMOUNT, creditDay: '18112026', reasons: '61' };
  await bench.read(
    bytesOf(
      returnLines('756', [
        { ...entry, ...paid, number: early.number },
        { ...entry, occurrence: '02', number: late.number },
      ]),
    ),
    BOLETO_RAIL,
  );
  await psp.payTitle({ line: lines[0] });
  bench.service.clock.advanceMs(2 * DAY_MS);
  await psp.payTitle({ line: lines[1] });
  bench.service.clock.advanceMs(8 * DAY_MS);
  const env = { TRILHO_BOLETOS: JSON.stringify([apiEntry(psp)]), TRILHO_BANK_WAIT_MS: '10000' };
  service = await startService({ mode: 'live', env, beside: bench.service });
  await service.runJobs();
  const states = [];
  for (const { charge } of [early, late]) {
    const { state, payments } = (await bench.service.get(`/charges/${charge.id}`)).json;
    states.push([state, payments.length]);
  }
  assert.deepEqual(states, [
    ['PAID', 1],
    ['PAID', 1],
  ]);
  const { payments } = (await bench.service.get('/payments/unmatched')).json;
  assert.deepEqual(
    payments.map(({ reason }: { reason: string }) => reason),
    ['possible_duplicate'],
    'the bank lists the payment of the return again: it waits for a person',
  );
});

test('from then on the bank is asked regularly, and its days are compared', async () => {
  const [row] = await bench.service.sql<{ next_look_at: Date; next_compare_at: Date; compared_day: string }>(
    'select next_look_at, next_compare_at, compared_day::text from rails where name = $1',
    [BOLETO_RAIL],
  );
  const now = bench.service.clock.now();
  assert.ok(row && row.next_look_at > now && row.next_compare_at > now, JSON.stringify(row));
});
