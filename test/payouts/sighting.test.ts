// What a lookup means for a slot that was given up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sighted } from '../../src/payouts/engine/sighting.ts';
import type { Payout } from '../../src/payouts/payout.ts';

const AT = new Date('2026-11-17T12:00:00Z');
const GIVEN_UP: Payout = {
  id: '01a1e9b0-0000-7000-8000-000000000001',
  accountId: 'acme',
  ownerId: '01a1e9b0-0000-7000-8000-000000000002',
  network: 'polygon',
  sender: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  nonce: 7n,
  symbol: 'usdt',
  units: 1_000_000n,
  destination: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  state: 'open',
  confirmations: 0,
  idleLookups: 0,
  attempts: [],
  voidRequestedAt: AT,
  createdAt: AT,
  updatedAt: AT,
};
const EVM = { depth: 10, signVoid: async () => ({ kind: 'unknown' as const }) };

const after = (seconds: number) => new Date(AT.getTime() + seconds * 1_000);

test('a slot that others have used is void when two lookups confirm it, minutes after it was given up', () => {
  const once = sighted(GIVEN_UP, { kind: 'taken' }, EVM, after(600));
  assert.deepEqual([once.payout.state, once.news.kind], ['open', 'taken']);
  // It was seen before it was given up, so a lookup is due at once.
  const soon = sighted(once.payout, { kind: 'taken' }, EVM, after(1));
  assert.deepEqual([soon.payout.state, soon.news.kind], ['open', 'taken']);
  const twice = sighted(once.payout, { kind: 'taken' }, EVM, after(600));
  assert.deepEqual([twice.payout.state, twice.news.kind], ['voided', 'voided']);
  // A node that lagged: the next one shows the transfer in its block.
  const block = { number: 9, hash: '0x01' };
  const mined = { kind: 'mined', hash: '0xaa', block, confirmations: 10, isFinal: true, feeUnits: 1n } as const;
  const left = sighted(once.payout, { ...mined, outcome: 'transferred', leftUnits: 1_000_000n }, EVM, after(600));
  assert.deepEqual([left.payout.state, left.news.kind], ['final', 'done']);
});

test('a new attempt is looked up soon, however long the earlier ones took', () => {
  const idle: Payout = { ...GIVEN_UP, idleLookups: 9 };
  const sentAt = after(600);
  assert.equal(sighted(idle, { kind: 'stuck' }, EVM, sentAt, { sentAt, isNew: true }).payout.idleLookups, 0);
  assert.equal(sighted(idle, { kind: 'stuck' }, EVM, sentAt, { sentAt }).payout.idleLookups, 10);
});

test('the effect of a transfer on balances counts until its block is final, also when nodes have pruned them', () => {
  const open: Payout = { ...GIVEN_UP, units: 1_000_000n };
  const mined = (confirmations: number, outcome: 'transferred' | 'mismatched', isFinal = false, hash = '0x01') =>
    ({
      kind: 'mined',
      hash: '0xaa',
      block: { number: 9, hash },
      ...{ confirmations, isFinal, outcome, feeUnits: 1n, leftUnits: outcome === 'mismatched' ? 0n : 1_000_000n },
    }) as const;
  const found = sighted(open, mined(10, 'mismatched'), EVM, AT).payout;
  assert.deepEqual([found.state, found.leftUnits], ['open', 0n]);
  const later = sighted(found, mined(11, 'transferred'), EVM, AT).payout;
  assert.deepEqual([later.state, later.leftUnits], ['open', 0n]);
  const last = sighted(later, mined(30, 'transferred', true), EVM, AT);
  assert.deepEqual([last.payout.state, last.payout.leftUnits, last.news.kind], ['mismatched', 0n, 'mismatched']);
  const other = sighted(later, mined(30, 'transferred', true, '0x02'), EVM, AT).payout;
  assert.deepEqual([other.state, other.leftUnits], ['final', undefined]);
});
