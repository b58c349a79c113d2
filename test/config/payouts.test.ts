// The section `payouts` of the file of TRILHO_CONFIG: what it gives, and that every fault in it has its path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { StartError } from '../../src/lib/errors.ts';
import { assetsOnDefaults, limitsOf, openLimits } from '../../src/payouts/policy/limits.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';

const FILE = { TRILHO_CONFIG: 'trilho.json' };
const filesOf = (payouts: unknown) => ({ 'trilho.json': JSON.stringify({ payouts }) });

test('limits come from the file, in both modes; without it there are no limits', () => {
  const payouts = {
    limits: [{ symbol: 'usdt', network: 'bsc', perPayout: '5000', approvalAbove: '1000', perDay: '0.5' }],
  };
  for (const mode of ['live', 'sandbox']) {
    assert.deepEqual(readConfig({ ...FILE, TRILHO_MODE: mode }, readFrom(filesOf(payouts))).payouts, payouts);
  }
  assert.deepEqual(readConfig({}).payouts, {});
});

test('every fault is reported with its path', () => {
  const limits = [
    { symbol: 'btc' },
    { symbol: 'usdt', perDay: 5, perPayout: '0', perDayToAddress: '-1', approvalAbove: '1e3', perMonth: '5' },
    { symbol: 'usdt' },
  ];
  assert.deepEqual(
    faultsOf(FILE, filesOf({ limits, limit: 1 })).toSorted(),
    [
      'TRILHO_CONFIG: payouts.limit is not a known field.',
      'TRILHO_CONFIG: payouts.limits must have each symbol once for a network, and once without, for each accountId and keyId.',
      'TRILHO_CONFIG: payouts.limits[0].symbol must be one of usdt, usdc, trx, eth, pol, bnb.',
      ...['approvalAbove', 'perDayToAddress'].map(
        field => `TRILHO_CONFIG: payouts.limits[1].${field} must be a decimal above zero as text, such as "5000".`,
      ),
      'TRILHO_CONFIG: payouts.limits[1].perPayout must be a decimal above zero as text, such as "5000", or "none".',
      'TRILHO_CONFIG: payouts.limits[1].perDay must be text.',
      'TRILHO_CONFIG: payouts.limits[1].perMonth is not a known field.',
    ].toSorted(),
  );
});

test('limits are in the units of each network, and an entry for a network takes precedence', () => {
  const limits = openLimits([
    { symbol: 'usdt', perPayout: '1.5' },
    { symbol: 'usdt', network: 'tron', perDay: '2' },
  ]);
  assert.deepEqual(limitsOf(limits, { symbol: 'usdt', network: 'polygon' }), { perPayout: 1_500_000n });
  assert.deepEqual(limitsOf(limits, { symbol: 'usdt', network: 'bsc' }), { perPayout: 1_500_000_000_000_000_000n });
  assert.deepEqual(limitsOf(limits, { symbol: 'usdt', network: 'tron' }), { perDay: 2_000_000n });
  assert.deepEqual(limitsOf(limits, { symbol: 'eth', network: 'base' }), {});
});

test('in live an asset without perPayout and perDay has small limits; no limit must be set explicitly', () => {
  const of = (settings: Parameters<typeof openLimits>[0], mode: 'live' | 'sandbox') =>
    limitsOf(openLimits(settings, mode), { symbol: 'usdt', network: 'polygon' });
  const small = { perPayout: 1_000_000_000n, perDay: 5_000_000_000n };
  assert.deepEqual(of([], 'live'), small);
  assert.deepEqual(of([{ symbol: 'usdt', lowFunds: '5' }], 'live'), { ...small, lowFunds: 5_000_000n });
  assert.deepEqual(of([{ symbol: 'usdt', perPayout: '9000' }], 'live'), { perPayout: 9_000_000_000n });
  assert.deepEqual(of([{ symbol: 'usdt', perDay: 'none' }], 'live'), {});
  assert.deepEqual(of([], 'sandbox'), {});
  assert.deepEqual(assetsOnDefaults([{ symbol: 'usdt', perDay: 'none' }], ['polygon', 'tron']), [
    { symbol: 'usdc', network: 'polygon' },
    { symbol: 'pol', network: 'polygon' },
    { symbol: 'trx', network: 'tron' },
  ]);
});

test('limits of an account or a key apply only to payouts, and one entry is for one of the two', () => {
  assert.throws(
    () =>
      openLimits([
        { symbol: 'usdt', accountId: 'acme', keyId: 'abc', perDay: '5' },
        { symbol: 'usdt', accountId: '*', lowFunds: '5', minimum: '1' },
      ]),
    (error: unknown) =>
      error instanceof StartError &&
      error.message ===
        [
          'payouts.limits of usdt for acme: must have accountId or keyId, and not both.',
          'payouts.limits of usdt for *: lowFunds is for an asset, and cannot be for an account or a key.',
          'payouts.limits of usdt for *: minimum is for an asset, and cannot be for an account or a key.',
        ].join('\n'),
  );
});

test('an amount that an asset cannot have, and a network without the asset, are refused at the start', () => {
  assert.throws(
    () =>
      openLimits([
        { symbol: 'usdt', network: 'polygon', perDay: '0.0000001' },
        { symbol: 'trx', network: 'base' },
      ]),
    (error: unknown) =>
      error instanceof StartError &&
      error.message ===
        'payouts.limits of trx: network must be one that has trx: tron.\n' +
          'payouts.limits of usdt: perDay must have at most 6 decimals on polygon.',
  );
});
