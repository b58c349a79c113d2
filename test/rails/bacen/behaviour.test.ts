// The rail against the simulated PSP, once for each profile. In the first tier only the most different ones have more than one test.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fault } from '@trilho/psp';
import { uuidV7 } from '../../../src/lib/ids.ts';
import { PROFILE_NAMES, type ProfileName } from '../../../src/rails/bacen/profiles.ts';
import type { BacenRail } from '../../../src/rails/bacen/rail.ts';
import { isBrCodeIntact } from '../../../src/rails/br-code.ts';
import type { PaymentRequest, Receipt, ReceiptsByTime } from '../../../src/rails/rail.ts';
import { scaled } from '../../harness/scale.ts';
import { NOW, paymentRequest, quoteRequest } from './scripted-psp.ts';
import { startSimulated } from './simulated-psp.ts';

const freshRequest = (make = paymentRequest, changes: Partial<PaymentRequest> = {}) =>
  make({ id: uuidV7(new Date(NOW)), ...changes });

function watchOf({ watch }: BacenRail): ReceiptsByTime {
  assert.ok(watch?.by === 'time');
  return watch;
}

async function allReceipts(rail: BacenRail, from: string, to: string): Promise<Receipt[]> {
  const found: Receipt[] = [];
  let cursor: string | undefined;
  do {
    const page = await watchOf(rail).receipts(new Date(from), new Date(to), cursor);
    found.push(...page.receipts);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

async function register(rail: BacenRail, request: PaymentRequest): Promise<{ reference: string; emv: string }> {
  const { reference } = rail.prepare(request);
  const outcome = await rail.submit(request, reference);
  assert.ok(
    outcome.kind === 'registered' && outcome.instrument && 'emv' in outcome.instrument,
    JSON.stringify(outcome),
  );
  return { reference, emv: outcome.instrument.emv };
}

const isWhole = scaled(PROFILE_NAMES.length) === PROFILE_NAMES.length;
const WHOLLY_TESTED: readonly ProfileName[] = isWhole ? PROFILE_NAMES : ['custom', 'efi', 'santander'];

for (const profile of PROFILE_NAMES) {
  describe(profile, () => {
    test('a charge of either kind is registered, found again and paid by its code', async t => {
      const { psp, rail } = await startSimulated(t, profile);
      const taxed = { finePercent: '2', interestPercent: '1' };
      for (const request of [freshRequest(quoteRequest), freshRequest(paymentRequest, taxed)]) {
        const { reference, emv } = await register(rail, request);
        assert.match(reference, /^[0-9a-f]{32}$/);
        assert.ok(isBrCodeIntact(emv));
        const registered = { kind: 'registered', instrument: { emv } };
        assert.deepEqual(await rail.lookup(request, reference), registered);
        // A repeat is the same charge, also if the PSP revises or refuses it.
        assert.deepEqual(await rail.submit(request, reference), registered);
        const paid = await psp.pay({ emv });
        assert.equal(paid.txid, reference);
        assert.equal(paid.valor, '159.90');
        assert.deepEqual(await rail.lookup(request, reference), registered);
      }
    });

    if (!WHOLLY_TESTED.includes(profile)) return;

    test('a charge that was never sent is absent, and a removed one is withdrawn', async t => {
      const { psp, rail } = await startSimulated(t, profile);
      for (const make of [quoteRequest, paymentRequest]) {
        const request = freshRequest(make);
        const { reference } = rail.prepare(request);
        assert.deepEqual(await rail.lookup(request, reference), { kind: 'absent' });
        await register(rail, request);
        assert.deepEqual(await rail.cancel(request, reference), { kind: 'withdrawn' });
        assert.deepEqual(await rail.cancel(request, reference), { kind: 'withdrawn' });
        assert.deepEqual(await rail.lookup(request, reference), { kind: 'withdrawn' });
        await assert.rejects(psp.pay({ txid: reference }));
      }
      const removed = freshRequest();
      const { reference } = await register(rail, removed);
      psp.removeCharge(reference);
      assert.deepEqual(await rail.lookup(removed, reference), { kind: 'withdrawn' });
      assert.deepEqual(await rail.cancel(removed, reference), { kind: 'withdrawn' });
    });

    test('a paid charge and an unknown one cannot be removed', async t => {
      const { psp, rail } = await startSimulated(t, profile);
      const request = freshRequest(quoteRequest);
      const { reference, emv } = await register(rail, request);
      await psp.pay({ emv });
      assert.deepEqual(await rail.cancel(request, reference), { kind: 'too_late' });
      const never = freshRequest();
      assert.deepEqual(await rail.cancel(never, rail.prepare(never).reference), { kind: 'too_late' });
    });

    test("a refusal keeps the PSP's reason", async t => {
      const { rail } = await startSimulated(t, profile);
      // Due before today.
      const request = freshRequest(paymentRequest, { dueDay: '2026-11-01' });
      const outcome = await rail.submit(request, rail.prepare(request).reference);
      assert.ok(outcome.kind === 'rejected', JSON.stringify(outcome));
      assert.notEqual(outcome.reason, 'The PSP gave no reason.');
    });

    test('payments are listed by time, in pages, and read by their id', async t => {
      const { psp, rail, clock } = await startSimulated(t, profile, { quirks: { pageSize: 2, maxWindowDays: 7 } });
      const requests = [freshRequest(), freshRequest(quoteRequest), freshRequest()];
      const paid: string[] = [];
      for (const request of requests) {
        const { emv } = await register(rail, request);
        clock.advanceMs(60_000);
        paid.push((await psp.pay({ emv })).endToEndId);
      }
      await psp.pay({ chave: psp.client.keys[0]!, valor: '0.07' });
      // Another key of this client: the bank lists its payments too.
      await psp.pay({ chave: psp.client.keys[1]!, valor: '5.00' });
      clock.advanceMs(60_000);
      const receipts = await allReceipts(rail, '2026-11-01T00:00:00Z', '2026-12-31T00:00:00Z');
      assert.deepEqual(
        receipts
          .map(({ requestReference, amountCents, isToOtherKey }) => [requestReference, amountCents, isToOtherKey])
          .toSorted(),
        [
          ...requests.map(request => [rail.prepare(request).reference, 15_990n, undefined]),
          [undefined, 7n, undefined],
          [undefined, 500n, true],
        ].toSorted(),
      );
      assert.deepEqual(
        await allReceipts(rail, '2026-11-16T12:00:30Z', '2026-11-16T12:01:30Z').then(all => all.length),
        1,
      );
      const first = await watchOf(rail).receipt(paid[0]!);
      assert.deepEqual(
        first,
        receipts.find(({ reference }) => reference === paid[0]),
      );
      assert.deepEqual(first?.paidAt, new Date('2026-11-16T12:01:00Z'));
      assert.equal(await watchOf(rail).receipt(`E${'0'.repeat(31)}`), undefined);
    });

    test('a payment is refunded in parts, and a repeat is the same refund', async t => {
      const { psp, rail } = await startSimulated(t, profile);
      const { emv } = await register(rail, freshRequest(quoteRequest));
      const { endToEndId: paymentReference } = await psp.pay({ emv });
      const refund = { id: uuidV7(new Date(NOW)), paymentReference, amountCents: 5_990n };
      assert.deepEqual(await rail.lookupRefund(refund), { kind: 'absent' });
      assert.deepEqual(await rail.refund(refund), { kind: 'done' });
      assert.deepEqual(await rail.refund(refund), { kind: 'done' });
      assert.deepEqual(await rail.lookupRefund(refund), { kind: 'done' });

      psp.setRefunds({ status: 'DEVOLVIDO', afterMs: null });
      const second = { id: uuidV7(new Date(NOW)), paymentReference, amountCents: 4_000n };
      const id = second.id.replaceAll('-', '');
      assert.deepEqual(await rail.refund(second), { kind: 'accepted' });
      assert.deepEqual(await rail.lookupRefund(second), { kind: 'accepted' });
      psp.endRefund({ endToEndId: paymentReference, id, status: 'NAO_REALIZADO', motivo: 'Conta encerrada' });
      assert.deepEqual(await rail.lookupRefund(second), { kind: 'rejected', reason: 'Conta encerrada' });

      const tooMuch = { id: uuidV7(new Date(NOW)), paymentReference, amountCents: 15_990n };
      assert.equal((await rail.refund(tooMuch)).kind, 'rejected');
      const stranger = { id: uuidV7(new Date(NOW)), paymentReference: `E${'0'.repeat(31)}`, amountCents: 1n };
      assert.equal((await rail.refund(stranger)).kind, 'rejected');

      const receipt = await watchOf(rail).receipt(paymentReference);
      assert.deepEqual(
        receipt?.returns.map(({ refundId, amountCents, status }) => [refundId, amountCents, status]),
        [
          [refund.id, 5_990n, 'DONE'],
          [second.id, 4_000n, 'FAILED'],
        ],
      );
    });

    test('a return is found although its payment is older', async t => {
      const { psp, rail, clock } = await startSimulated(t, profile);
      const { emv } = await register(rail, freshRequest(quoteRequest));
      const { endToEndId } = await psp.pay({ emv });
      clock.advanceMs(60 * 86_400_000);
      psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
      clock.advanceMs(60_000);
      const from = new Date(clock.now().getTime() - 3_600_000).toISOString();
      const [receipt, ...others] = await allReceipts(rail, from, clock.now().toISOString());
      assert.deepEqual(others, []);
      assert.equal(receipt?.reference, endToEndId);
      const [taken] = receipt?.returns ?? [];
      assert.deepEqual([taken?.refundId, taken?.amountCents, taken?.status], [undefined, 15_990n, 'DONE']);
      assert.match(taken?.reason ?? '', /^MED_FRAUDE/);
    });

    test('lost replies are unknown, and a lookup finds the outcome', async t => {
      const { psp, rail } = await startSimulated(t, profile);
      const request = freshRequest();
      const { reference } = rail.prepare(request);
      await register(rail, freshRequest());
      psp.setFault({ kind: 'lost-reply', on: { method: 'PUT' }, count: 1 });
      assert.deepEqual(await rail.submit(request, reference), { kind: 'unknown' });
      assert.equal((await rail.lookup(request, reference)).kind, 'registered');
      const other = freshRequest();
      psp.setFault({ kind: 'cut', on: { method: 'PUT' }, count: 1 });
      assert.deepEqual(await rail.submit(other, rail.prepare(other).reference), { kind: 'unknown' });
      assert.deepEqual(await rail.lookup(other, rail.prepare(other).reference), { kind: 'absent' });
      const { endToEndId: paymentReference } = await psp.pay({ txid: reference });
      const refund = { id: uuidV7(new Date(NOW)), paymentReference, amountCents: 1n };
      psp.setFault({ kind: 'lost-reply', on: { method: 'PUT' }, count: 1 });
      assert.deepEqual(await rail.refund(refund), { kind: 'unknown' });
      assert.deepEqual(await rail.lookupRefund(refund), { kind: 'done' });
    });

    test('rate limits, outages, pages of HTML and a token refused by mistake never reject a charge', async t => {
      const { psp, rail, clock } = await startSimulated(t, profile);
      await register(rail, freshRequest());
      const request = freshRequest();
      const { reference } = rail.prepare(request);
      const outcomeWith = async (fault: Omit<Fault, 'on' | 'count'>) => {
        psp.setFault({ ...fault, on: { method: 'PUT' }, count: 1 });
        const { kind } = await rail.submit(request, reference);
        clock.advanceMs(60_000);
        return kind;
      };
      assert.equal(await outcomeWith({ kind: 'status', status: 429, retryAfterSeconds: 1 }), 'unavailable');
      assert.equal(await outcomeWith({ kind: 'status', status: 503, retryAfterSeconds: 1 }), 'unavailable');
      assert.equal(await outcomeWith({ kind: 'status', status: 500 }), 'unknown');
      assert.equal(await outcomeWith({ kind: 'html' }), 'unknown');
      assert.deepEqual(await rail.lookup(request, reference), { kind: 'absent' });
      assert.equal(await outcomeWith({ kind: 'expired-token' }), 'registered');
    });

    test('expired, revoked or narrowed tokens never reject a charge', async t => {
      const { psp, rail, clock, lines } = await startSimulated(t, profile);
      const request = freshRequest();
      await register(rail, request);
      psp.revokeTokens();
      await register(rail, freshRequest());
      clock.advanceMs(3_600_000);
      await register(rail, freshRequest());
      clock.advanceMs(3_600_000);
      psp.setFault({ kind: 'narrow-token', scopes: ['pix.read'] });
      const denied = freshRequest();
      assert.deepEqual(await rail.submit(denied, rail.prepare(denied).reference), { kind: 'unavailable' });
      psp.clearFaults();
      clock.advanceMs(60_000);
      assert.equal((await rail.submit(denied, rail.prepare(denied).reference)).kind, 'unavailable');
      await register(rail, denied);
      assert.doesNotMatch(lines.join(), /trilho-secret|52998224725|Maria/);
    });
  });
}
