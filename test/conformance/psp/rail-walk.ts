// Every call of our own rail to a PSP, in one walk: charges of both kinds with every optional part, repeats, refusals,
// removals, refunds, lists in pages, the webhook, locations, Pix Automático and a diagnosis.
import assert from 'node:assert/strict';
import type { Psp } from '@trilho/psp';
import { uuidV7 } from '../../../src/lib/ids.ts';
import { diagnoseRail } from '../../../src/rails/bacen/diagnose.ts';
import { type BacenRail, bacenRail } from '../../../src/rails/bacen/rail.ts';
import type { PaymentRequest, Receipt } from '../../../src/rails/rail.ts';
import { silentLog } from '../../harness/log.ts';
import { AUTOMATIC, settingsFor } from '../../rails/bacen/simulated-psp.ts';
import { walkAutomatic } from './automatic-walk.ts';

const DAY_MS = 86_400_000;
const PAGE_SIZE = 2;
const WEBHOOK = 'https://example.com/rails/secret';

export async function walkRail(psp: Psp): Promise<void> {
  const clock = { now: () => psp.now() };
  const settings = {
    ...settingsFor(psp, 'custom'),
    timeoutSeconds: 60,
    quirks: { pageSize: PAGE_SIZE },
    webhook: { url: WEBHOOK },
    automatic: AUTOMATIC,
  };
  const rail = bacenRail(settings, { clock, log: silentLog });
  try {
    for (const make of [cob, cobv, company]) await chargeOf(rail, psp, make(psp.now()));
    await refused(rail, psp);
    await located(rail, psp);
    await refunded(rail, psp);
    await rail.registerWebhook(WEBHOOK);
    assert.deepEqual(await rail.readWebhook(), { url: WEBHOOK });
    const checks = await diagnoseRail(settings, { clock, log: silentLog }, { triesCharge: true });
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    );
    // Last: these move the clock of the PSP, which the diagnosis holds against that of its answers.
    await listed(rail, psp);
    const charge = async () => {
      const { request } = await registered(rail, cob(psp.now()));
      return { reference: rail.prepare(request).reference };
    };
    await walkAutomatic({ calls: rail.automatic!, psp, charge });
  } finally {
    rail.stop();
  }
}

const day = (at: Date, days: number) => new Date(at.getTime() + days * DAY_MS).toISOString().slice(0, 10);

/** Paid within the hour. */
function cob(now: Date): PaymentRequest {
  return {
    id: uuidV7(now),
    amountCents: 1n,
    createdAt: now,
    expireAt: new Date(now.getTime() + 3_600_000),
    dueDay: day(now, 0),
    expireDay: day(now, 0),
    payer: { name: 'Maria da Silva', document: '52998224725' },
  };
}

function cobv(now: Date): PaymentRequest {
  return {
    ...cob(now),
    amountCents: 123_456_789n,
    expireAt: new Date(now.getTime() + 30 * DAY_MS),
    dueDay: day(now, 20),
    expireDay: day(now, 30),
    finePercent: '2',
    interestPercent: '0.99',
    description: 'Pedido nº 1050 — «entrega»',
    payer: {
      name: 'Conceição d’Ávila',
      document: '52998224725',
      address: { street: 'Rua das Flores', number: '1', city: 'São Paulo', state: 'sp', postalCode: '01001-000' },
    },
  };
}

const company = (now: Date): PaymentRequest => ({
  ...cobv(now),
  payer: { name: 'Empresa SA', document: '12ABC34501DE35' },
});

/** Registered, found, repeated, removed; and another one paid, which then can no longer be removed. */
async function chargeOf(rail: BacenRail, psp: Psp, request: PaymentRequest): Promise<void> {
  const { reference } = rail.prepare(request);
  assert.equal((await rail.lookup(request, reference)).kind, 'absent');
  assert.equal((await rail.submit(request, reference)).kind, 'registered');
  assert.equal((await rail.submit(request, reference)).kind, 'registered');
  assert.equal((await rail.lookup(request, reference)).kind, 'registered');
  assert.equal((await rail.cancel(request, reference)).kind, 'withdrawn');
  assert.equal((await rail.cancel(request, reference)).kind, 'withdrawn');
  assert.equal((await rail.lookup(request, reference)).kind, 'withdrawn');
  const { request: kept, emv } = await registered(rail, { ...request, id: uuidV7(psp.now()) });
  await psp.pay({ emv, infoPagador: 'Obrigada' });
  assert.equal((await rail.lookup(kept, rail.prepare(kept).reference)).kind, 'registered');
  assert.equal((await rail.cancel(kept, rail.prepare(kept).reference)).kind, 'too_late');
}

async function registered(rail: BacenRail, request: PaymentRequest) {
  const outcome = await rail.submit(request, rail.prepare(request).reference);
  assert.ok(outcome.kind === 'registered' && outcome.instrument && 'emv' in outcome.instrument);
  return { request, emv: outcome.instrument.emv };
}

async function refused(rail: BacenRail, psp: Psp): Promise<void> {
  const request = { ...cobv(psp.now()), dueDay: day(psp.now(), -10) };
  assert.equal((await rail.submit(request, rail.prepare(request).reference)).kind, 'rejected');
}

async function located(rail: BacenRail, psp: Psp): Promise<void> {
  for (const make of [cob, cobv]) {
    const request = make(psp.now());
    const location = await rail.takeLocation!(rail.kindOf(request));
    const { reference, instrument } = rail.prepare(request, location);
    assert.equal((await rail.submit(request, reference, location)).kind, 'registered');
    assert.equal((await psp.pay({ emv: instrument!.emv })).txid, reference);
  }
}

async function refunded(rail: BacenRail, psp: Psp): Promise<void> {
  const { emv } = await registered(rail, { ...cob(psp.now()), amountCents: 10_000n });
  const { endToEndId: paymentReference } = await psp.pay({ emv });
  const refund = (amountCents: bigint) => ({ id: uuidV7(psp.now()), paymentReference, amountCents });
  const part = refund(2_500n);
  psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  assert.equal((await rail.lookupRefund(part)).kind, 'absent');
  assert.equal((await rail.refund(part)).kind, 'done');
  assert.equal((await rail.lookupRefund(part)).kind, 'done');
  assert.equal((await rail.refund(refund(1_000_000n))).kind, 'rejected');
  psp.setRefunds({ status: 'NAO_REALIZADO', afterMs: null });
  const later = refund(100n);
  assert.equal((await rail.refund(later)).kind, 'accepted');
  psp.endRefund({ endToEndId: paymentReference, id: later.id.replaceAll('-', ''), status: 'NAO_REALIZADO' });
  assert.equal((await rail.lookupRefund(later)).kind, 'rejected');
  psp.medReturn({ endToEndId: paymentReference, valor: '10.00' });
}

async function listed(rail: BacenRail, psp: Psp): Promise<void> {
  const { watch } = rail;
  assert.ok(watch?.by === 'time');
  const found: Receipt[] = [];
  // The rail leaves out the last seconds before now.
  psp.moveClock({ advanceMs: 60_000 });
  const from = new Date(psp.now().getTime() - DAY_MS);
  let cursor: string | undefined;
  do {
    const page = await watch.receipts(from, psp.now(), cursor);
    found.push(...page.receipts);
    cursor = page.next;
  } while (cursor !== undefined);
  assert.ok(found.length > PAGE_SIZE, 'there is more than one page');
  const [first] = found;
  assert.deepEqual(await watch.receipt(first!.reference), first);
  assert.equal(await watch.receipt(`E${'0'.repeat(31)}`), undefined);
}
