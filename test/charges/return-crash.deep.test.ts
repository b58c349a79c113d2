// A reading that is cut off before or after any of its steps, if its entries depend on earlier ones: money that waits, a payment equal to
// a reversed one, the answer to a change of the due day. Nothing is booked twice, and nothing is lost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { runCommand } from '../harness/commands.ts';
import { failingAfter } from '../harness/failing-database.ts';
import { AMOUNT, type ReturnBench, startReturns } from '../harness/return-bench.ts';
import { bytesOf } from '../packages/cnab/return-lines.ts';

let bank: ReturnBench;
before(async () => {
  bank = await startReturns('756');
});
after(() => bank.stop());

for (const when of ['before', 'after'] as const) {
  test(`${when} any of its steps`, async () => {
    for (let calls = 0; ; calls++) {
      const sent = await bank.send({}, {}, { dueAt: '2026-12-10T23:59:59-03:00' }, {});
      const [again, odd, changed, back] = sent.map(boleto => boleto!);
      await bank.outcomes(
        ...[bank.entry(odd!, '02'), bank.entry(changed!, '02')],
        ...[bank.paid(again!), bank.entry(again!, '44', { paidCents: AMOUNT }), bank.paid(back!)],
      );
      const dueAt = '2026-12-30T23:59:59-03:00';
      await bank.service.post(`/charges/${changed!.charge.id}/due-date`, { dueAt });
      await bank.make();
      // Amounts of this round alone, by which its waiting money is found.
      const cents = BigInt(1_000 + calls + (when === 'after' ? 500 : 0));
      const stranger = { ...odd!, number: '000888888001014     ' };
      const bytes = bytesOf(
        bank.lines(
          bank.paid(again!),
          bank.entry(odd!, '09', { reasons: '11', paidCents: cents }),
          bank.entry(changed!, '14'),
          bank.entry(back!, '44', { paidCents: AMOUNT }),
          bank.entry(stranger, '99', { paidCents: cents }),
        ),
      );
      const isCut = await bank.readThrough(failingAfter(calls, when), bytes).then(
        () => false,
        (error: Error) => error.message === 'killed' || Promise.reject(error),
      );
      const { file } = await bank.read(bytes);
      const counts = { needs_attention: 3, noted: 1, reversed: 1 };
      assert.deepEqual(file.counts, counts, `${when} call ${calls}`);
      const charges = await Promise.all(sent.map(boleto => bank.charge(boleto)));
      assert.deepEqual(
        charges.map(({ state, payments, refunds }) => [state, payments.length, refunds.length]),
        [
          ['REFUNDED', 1, 1],
          ['CANCELED', 0, 0],
          ['ACTIVE', 0, 0],
          ['REFUNDED', 1, 1],
        ],
      );
      assert.deepEqual([charges[2].dueChange.status, charges[2].dueAt], ['DONE', new Date(dueAt).toISOString()]);
      const kept = await bank.service.sql<{ reference: string }>(
        'select reference from unmatched_receipts where amount_cents = $1 or duplicate_of = $2',
        [cents, charges[0].payments[0].reference],
      );
      assert.equal(kept.length, 3, 'each is kept once');
      if (isCut) continue;
      assert.ok(calls > 8, 'the reading has several steps');
      break;
    }
    const env = { TRILHO_MODE: 'live', DATABASE_URL: bank.service.databaseUrl };
    assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
  });
}
