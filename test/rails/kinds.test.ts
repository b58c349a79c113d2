// A rail, and a PSP of the Bacen standard, are each added by one file and a line in a list: charges are made, paid and withdrawn there.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import { ABILITIES } from '../../src/rails/abilities.ts';
import { bacenKind } from '../../src/rails/bacen/kind.ts';
import { PROFILES } from '../../src/rails/bacen/profiles.ts';
import { railSettings } from '../../src/rails/entries.ts';
import type { RailEntry, RailKind } from '../../src/rails/kind.ts';
import { RAIL_KINDS } from '../../src/rails/kinds.ts';
import { METHODS } from '../../src/rails/methods/methods.ts';

import { pixCharges } from '../harness/pix-charges.ts';
import { railSettings as entryAt } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';
import { acmeKind } from './acme/kind.ts';
import { type AcmePsp, startAcme } from './acme/psp.ts';

const API_KEY = 'acme-key';
const ENTRY = { name: 'acme:main', profile: 'acme', baseUrl: 'https://acme.example', apiKey: API_KEY };

/** The entries as the settings read them with these kinds. */
function entriesOf(kinds: readonly RailKind[], ...entries: readonly object[]): readonly RailEntry[] {
  const read = railSettings(kinds).parse(JSON.stringify(entries));
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
}

function faultsOf(kinds: readonly RailKind[], ...entries: readonly object[]): string[] {
  const read = railSettings(kinds).parse(JSON.stringify(entries));
  return 'wrong' in read ? read.wrong.map(({ at = '', message }) => `${at} ${message}`) : [];
}

async function waitForMoney(service: Service): Promise<void> {
  service.clock.advanceMs(61_000);
  await service.runJobs();
}

describe('a PSP with an API of its own', () => {
  let service: Service;
  let acme: AcmePsp;
  const { make, read } = pixCharges(() => service);
  before(async () => {
    acme = startAcme(API_KEY);
    const railKinds = [...RAIL_KINDS, acmeKind(acme)];
    service = await startService({ mode: 'live', railKinds, railEntries: entriesOf(railKinds, ENTRY) });
  });
  after(() => service.stop());

  test('a charge has the code of the PSP, and is paid when the PSP lists its payment', async () => {
    const { id, pix } = await make();
    assert.match(pix.emv, new RegExp(`acme\\.example/qr/${pix.txid}`));
    assert.equal((await read(id)).pix.status, 'ACTIVE');
    acme.pay(pix.txid, service.clock.now());
    await waitForMoney(service);
    const { state, payments } = await read(id);
    assert.equal(state, 'PAID');
    assert.deepEqual(
      payments.map(({ source, amountCents }: Record<string, unknown>) => [source, amountCents]),
      [['bank', 15_990]],
    );
    const { json } = await service.get(`/events?objectId=${id}`);
    const types = json.events.map(({ type }: { type: string }) => type);
    assert.deepEqual(types, ['charge.created', 'charge.active', 'charge.paid']);
  });

  test('after a lost answer the charge is looked up and not sent again', async () => {
    acme.spoilAnswers(1, 0);
    const { id, pix } = await make();
    await waitForMoney(service);
    assert.equal((await read(id)).pix.status, 'ACTIVE');
    assert.equal(acme.calls.filter(call => call === `GET /charges/${pix.txid}`).length, 1);
  });

  test('after a server error the charge is looked up', async () => {
    acme.spoilAnswers(1, 500);
    const { id, pix } = await make();
    await waitForMoney(service);
    assert.equal((await read(id)).pix.status, 'ACTIVE');
    assert.equal(acme.calls.filter(call => call === `GET /charges/${pix.txid}`).length, 1);
  });

  test('a payment is found after the PSP has not listed it for an hour', async () => {
    const { id, pix } = await make();
    acme.pay(pix.txid, service.clock.now());
    acme.spoilAnswers(1, 503);
    await waitForMoney(service);
    acme.spoilAnswers(1, 0);
    service.clock.advanceMs(3_600_000);
    await service.runJobs();
    await waitForMoney(service);
    assert.equal((await read(id)).state, 'PAID');
  });

  test('a charge that is canceled is withdrawn at the PSP', async () => {
    const { id, pix } = await make();
    assert.equal((await service.post(`/charges/${id}/cancel`, {})).status, 200);
    await service.runJobs();
    assert.ok(acme.calls.includes(`DELETE /charges/${pix.txid}`));
  });
});

describe('settings with another kind', () => {
  const kinds = [...RAIL_KINDS, acmeKind(startAcme(API_KEY))];

  test('a profile says which fields an entry has', () => {
    assert.deepEqual(faultsOf(kinds, ENTRY), []);
    assert.deepEqual(faultsOf(kinds, { ...ENTRY, apiKey: undefined, pixKey: 'a@example.com' }), [
      '[0].apiKey is required',
      '[0].pixKey is not a known field',
    ]);
    const [fault = ''] = faultsOf(kinds, { ...ENTRY, profile: 'efi' });
    assert.match(fault, /^\[0\]\.\w+ is required$/);
  });

  test('an unknown profile is refused with the names of all', () => {
    assert.deepEqual(faultsOf(kinds, { ...ENTRY, profile: 'acne' }), [
      `[0].profile must be one of ${[...Object.keys(PROFILES), 'acme'].join(', ')}`,
    ]);
    const { profile: _, ...others } = ENTRY;
    assert.deepEqual(faultsOf(kinds, others), ['[0].profile is required']);
  });

  test('a service without the kind refuses its entries', async () => {
    await assert.rejects(
      startService({ mode: 'live', railEntries: entriesOf(kinds, ENTRY) }),
      /rails\[0\]\.profile is not a known profile\./,
    );
  });
});

describe('a PSP of the Bacen standard, by its profile', () => {
  const MARACUJA = {
    all: { hasLocations: true, headers: { 'x-maracuja': '{clientId}' } },
    production: {},
    test: {},
  } as const;
  let service: Service;
  let psp: Psp;
  const { make, read } = pixCharges(() => service);
  before(async () => {
    const now = '2026-11-16T12:00:00.000Z';
    psp = await startTestPsp({ clock: { now: () => service?.clock.now() ?? new Date(now) } });
    const railKinds = RAIL_KINDS.map(kind =>
      kind.name === 'bacen' ? bacenKind({ ...PROFILES, maracuja: MARACUJA }) : kind,
    );
    const { webhook: _, ...entry } = entryAt(psp, { name: 'maracuja:main', profile: 'maracuja' });
    service = await startService({ mode: 'live', now, railKinds, railEntries: entriesOf(railKinds, entry) });
  });
  after(async () => {
    await service.stop();
    await psp.stop();
  });

  test('a charge is created and paid there', async () => {
    const { id, pix } = await make({
      customer: {
        name: 'Maria da Silva',
        document: '529.982.247-25',
        address: { street: 'Rua A', city: 'B', state: 'SP', postalCode: '01001000' },
      },
    });
    await psp.pay({ emv: pix.emv });
    await waitForMoney(service);
    assert.equal((await read(id)).state, 'PAID');
  });
});

test('every method has abilities and a kind of rail', () => {
  assert.deepEqual(Object.keys(ABILITIES).toSorted(), [...METHODS].toSorted());
  for (const method of METHODS)
    assert.ok(
      RAIL_KINDS.some(kind => kind.method === method),
      method,
    );
});

test('a profile of rails belongs to one kind', () => {
  const profiles = RAIL_KINDS.flatMap(kind => kind.profiles ?? []);
  assert.deepEqual([...new Set(profiles)], profiles);
});
