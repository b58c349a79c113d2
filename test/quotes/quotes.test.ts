// Quotes: exact arithmetic for random values, exact numbers in JSON, and every refusal with its field.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { decimalsOf } from '../../src/chains/networks.ts';
import type { ChainParameters } from '../../src/chains/tron/answers.ts';
import { DEFAULT_FEE_CAP, worstTokenFee } from '../../src/chains/tron/fees.ts';
import { parseUnits } from '../../src/lib/decimals.ts';
import { isExpired, priceOrder } from '../../src/quotes/quote.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
let live: Service;
before(async () => {
  const limits = [
    { symbol: 'eth', network: 'base', minimum: '0.000000000000000001' },
    { symbol: 'usdt', network: 'arbitrum', networkFee: '1.5', minimum: '2' },
  ];
  service = await startService({
    env: { TRILHO_FEE_PERCENT: '1.5', TRILHO_PAYOUTS: JSON.stringify({ limits }) },
  });
  live = await startService({
    mode: 'live',
    rails: sandboxRails,
    prices: {
      name: 'fixed',
      price: async (_symbol, _currency, now) => ({ value: '5', source: 'fixed', at: now, inputs: [] }),
    },
  });
});
after(async () => {
  await service.stop();
  await live.stop();
});

const ask = (changes: Record<string, unknown> = {}) =>
  service.post('/crypto/quotes', { symbol: 'usdt', network: 'tron', currency: 'BRL', cost: 500, ...changes });
/** Sends a body as written, with numbers that JavaScript could not write. */
const askRaw = (body: string) =>
  service.send('/crypto/quotes', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
const faultsOf = (refused: Answer) => {
  assert.equal(refused.status, 400, refused.text);
  return refused.json.errors.map(({ path, code }: { path: string; code: string }) => [path, code]);
};
const stored = async () => Number((await service.sql<{ n: string }>('select count(*) as n from quotes'))[0]!.n);

test('a cost buys what remains after the fee, and the quote is read back unchanged', async () => {
  const made = await ask({ accountId: 'acme' });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.headers.get('location'), `/crypto/quotes/${made.json.id}`);
  const { id, ...rest } = made.json;
  const now = service.clock.now().toISOString();
  // 1.5 % of 500 is 7.50; 492.50 / 5.41 is 91.0351201…
  assert.deepEqual(rest, {
    accountId: 'acme',
    symbol: 'usdt',
    network: 'tron',
    currency: 'BRL',
    price: 5.41,
    fee: 7.5,
    networkFee: 0,
    quantity: 91.03512,
    cost: 500,
    exact: { price: '5.41', fee: '7.5', networkFee: '0', quantity: '91.03512', cost: '500' },
    feePercent: '1.5',
    source: 'table',
    priceAt: now,
    inputs: [{ source: 'table', value: '5.41', at: now }],
    createdAt: now,
    expiresAt: new Date(Date.parse(now) + 300_000).toISOString(),
  });
  for (const address of [id, id.toUpperCase()]) {
    assert.equal((await service.get(`/crypto/quotes/${address}`)).text, made.text);
  }
});

test('a quantity costs its price and the fee on top, each rounded up', async () => {
  // 5.41 × 100.000001 is 541.00000541, hence 541.01; 541.01 / 0.985 is 549.2487…, hence 549.25.
  const { json } = await ask({ cost: undefined, quantity: '100.000001' });
  const exact = { price: '5.41', fee: '8.24', networkFee: '0', quantity: '100.000001', cost: '549.25' };
  assert.deepEqual(json.exact, exact);
  assert.equal(json.accountId, undefined);
});

test('dollars and euros have their own prices', async () => {
  const prices = { BRL: '18732.5', USD: '3468.98148149', EUR: '2997.2' };
  for (const [currency, price] of Object.entries(prices)) {
    const { json } = await ask({ symbol: 'eth', network: 'base', currency });
    assert.equal(json.exact.price, price);
    assert.equal(json.inputs.length, currency === 'BRL' ? 1 : 2);
  }
});

test('eighteen decimals survive in JSON in both directions', async () => {
  const quantity = '123456.123456789012345678';
  const made = await ask({ symbol: 'usdc', network: 'bsc', cost: undefined, quantity });
  assert.equal(made.status, 201, made.text);
  const read = await service.get(made.headers.get('location')!);
  for (const { text } of [made, read]) {
    assert.match(text, /"quantity":123456\.123456789012345678,/);
    assert.match(text, /"exact":\{[^}]*"quantity":"123456\.123456789012345678"/);
  }
  const smallest = await ask({ symbol: 'eth', network: 'base', cost: undefined, quantity: '0.000000000000000001' });
  assert.match(smallest.text, /"quantity":0\.000000000000000001,/);
  assert.equal(smallest.json.exact.cost, '0.02', 'a cent for it and a cent of fee');
});

test('a number and the same text are the same amount', async () => {
  const pairs = [
    ['{"cost":150.25}', '150.25'],
    ['{"cost":1.5e2}', '150'],
    ['{"cost":9999999999.99}', '9999999999.99'],
    ['{"cost":100.000000000000000000}', '100'],
    ['{"cost":"0100.50"}', '100.5'],
  ];
  for (const [body, cost] of pairs) {
    const made = await askRaw(body!.replace('{', '{"symbol":"trx","network":"tron","currency":"BRL",'));
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json.exact.cost, cost);
  }
});

test('a number with more digits than a float holds is refused, also when the float happens to be short', async () => {
  const before = await stored();
  for (const [field, number] of [
    ['quantity', '0.1234567890123456'],
    ['quantity', '1.0000000000000000001'],
    ['quantity', '12345678901234567e-17'],
    ['cost', '100.000000000000000001'],
    ['quantity', '-1.0000000000000000001'],
  ]) {
    const body = `{"symbol":"eth","network":"base","currency":"BRL","${field}":${number}}`;
    const refused = await askRaw(body);
    assert.deepEqual(faultsOf(refused), [[field, 'too_precise']], number);
    assert.match(refused.json.errors[0].message, /give it as text/);
  }
  assert.equal(await stored(), before);
});

test('exactly one of cost and quantity is required', async () => {
  const both = [
    ['cost', 'exactly_one'],
    ['quantity', 'exactly_one'],
  ];
  assert.deepEqual(faultsOf(await ask({ quantity: 1 })), both);
  assert.deepEqual(faultsOf(await ask({ cost: undefined })), both);
  assert.match((await ask({ quantity: 1 })).json.errors[0].message, /exactly one of cost and quantity/);
});

test('a symbol is sold only on its networks', async () => {
  for (const [symbol, network] of [
    ['eth', 'tron'],
    ['trx', 'ethereum'],
    ['usdc', 'tron'],
    ['usdt', 'base'],
  ]) {
    assert.deepEqual(faultsOf(await ask({ symbol, network })), [['network', 'not_on_network']]);
  }
  const refused = await ask({ symbol: 'eth', network: 'tron' });
  assert.equal(refused.json.errors[0].message, 'must be one that has eth: ethereum, base, arbitrum');
});

test('every refusal names its field, all at once', async () => {
  const before = await stored();
  const cases: [Record<string, unknown>, [string, string][]][] = [
    [{ cost: 0 }, [['cost', 'minimum']]],
    [{ cost: '0.00' }, [['cost', 'minimum']]],
    [{ cost: -5 }, [['cost', 'minimum']]],
    [{ cost: '-5' }, [['cost', 'minimum']]],
    [{ cost: 1.005 }, [['cost', 'too_many_decimals']]],
    [{ cost: '10000000000' }, [['cost', 'maximum']]],
    [{ cost: 1e21 }, [['cost', 'maximum']]],
    [{ cost: 1e-100 }, [['cost', 'format']]],
    [{ cost: '1e3' }, [['cost', 'format']]],
    [{ cost: '1,50' }, [['cost', 'format']]],
    [{ cost: '' }, [['cost', 'format']]],
    [{ cost: '9'.repeat(101) }, [['cost', 'too_long']]],
    [{ cost: true }, [['cost', 'type']]],
    [{ cost: null }, [['cost', 'type']]],
    [{ cost: undefined, quantity: '0.0000001' }, [['quantity', 'too_many_decimals']]],
    [{ cost: undefined, quantity: 0 }, [['quantity', 'minimum']]],
    [{ cost: undefined, quantity: [1] }, [['quantity', 'type']]],
    [{ cost: undefined, quantity: '1848428836' }, [['quantity', 'maximum']]],
    [{ symbol: 'eth', network: 'base', cost: undefined, quantity: '9'.repeat(100) }, [['quantity', 'maximum']]],
    [{ symbol: 'USDT' }, [['symbol', 'not_allowed']]],
    [{ network: 'solana' }, [['network', 'not_allowed']]],
    [{ currency: 'GBP' }, [['currency', 'not_allowed']]],
    [{ currency: undefined }, [['currency', 'required']]],
    [{ accountId: '' }, [['accountId', 'empty']]],
    [{ price: 1 }, [['price', 'unknown']]],
    [
      { symbol: undefined, currency: 'x', cost: -1 },
      [
        ['symbol', 'required'],
        ['currency', 'not_allowed'],
        ['cost', 'minimum'],
      ],
    ],
  ];
  for (const [changes, faults] of cases) {
    assert.deepEqual(faultsOf(await ask(changes)), faults, JSON.stringify(changes));
  }
  assert.equal((await ask({ cost: true })).json.errors[0].message, 'must be a number or decimal text');
  assert.equal(await stored(), before, 'nothing was written');
});

test('a cost that buys nothing is refused', async () => {
  // The fee on a cent is a cent; nothing is left.
  assert.deepEqual(faultsOf(await ask({ cost: '0.01' })), [['cost', 'minimum']]);
});

test('an order worth less than the fee of its network is refused, and the refusal names the minimum', async () => {
  const message = 'is too small: the minimum of an order is 6 usdt on tron, which costs 32.96 BRL now';
  for (const [changes, path] of [
    [{ cost: '32.95' }, 'cost'],
    [{ cost: undefined, quantity: '5.999999' }, 'quantity'],
  ] as const) {
    const refused = await ask(changes);
    assert.deepEqual(faultsOf(refused), [[path, 'minimum']]);
    assert.equal(refused.json.errors[0].message, message);
  }
  assert.equal((await ask({ cost: '32.96' })).json.exact.quantity, '6');
  // The cost of the most expensive transfer of USDT there, at the price of TRX.
  const fee = worstTokenFee({ energyFee: 100n, bandwidthFee: 1_000n } as ChainParameters, DEFAULT_FEE_CAP);
  assert.ok(parseUnits('6', 6)! * 541n >= fee * 178n);
});

test('the payer bears the fee of the network if so configured, and the quote shows it', async () => {
  const bought = await ask({ network: 'arbitrum', cost: 541 });
  // 532.885 buys 98.5 usdt, rounded down after the fee of 1.5 % was rounded up.
  assert.deepEqual(bought.json.exact, {
    price: '5.41',
    fee: '8.12',
    networkFee: '1.5',
    quantity: '96.999075',
    cost: '541',
  });
  assert.equal(bought.json.networkFee, 1.5);
  const wanted = await ask({ network: 'arbitrum', cost: undefined, quantity: '96.999075' });
  assert.deepEqual(wanted.json.exact, bought.json.exact);
  assert.equal((await service.get(bought.headers.get('location')!)).text, bought.text);
  const [fault] = (await ask({ network: 'arbitrum', cost: 10 })).json.errors;
  assert.match(fault.message, /the minimum of an order is 2 usdt on arbitrum, which costs 19\.23 BRL now$/);
});

test('an unknown quote is not found', async () => {
  for (const id of ['019a8b60-71d4-7b3e-8c52-4f9e0a6d1b38', 'x', '1']) {
    const missing = await service.get(`/crypto/quotes/${id}`);
    assert.equal(missing.status, 404);
    assert.equal(missing.json.code, 'not_found');
  }
});

test('an unknown account is opened by a sandbox and not found in live', async () => {
  assert.equal((await ask({ accountId: 'newcomer' })).status, 201);
  assert.equal((await service.sql(`select id from accounts where id = 'newcomer'`)).length, 1);
  const body = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 5, accountId: 'newcomer' };
  assert.equal((await live.post('/crypto/quotes', body)).status, 404);
  assert.deepEqual(await live.sql('select id from quotes'), []);
  assert.equal((await live.post('/crypto/quotes', { ...body, accountId: 'acme' })).json.exact.quantity, '1');
});

test('a quote is valid for exactly five minutes', () => {
  const expiresAt = new Date('2026-11-16T12:05:00.000Z');
  assert.equal(isExpired({ expiresAt }, new Date('2026-11-16T12:04:59.999Z')), false);
  assert.equal(isExpired({ expiresAt }, expiresAt), true);
});

// The arithmetic, with random values. Both sides of each comparison are integers: the test itself does not round.
const prices = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 14n }), fc.integer({ min: 0, max: 10 }))
  .map(([units, decimals]) => ({ units, decimals, text: decimalText(units, decimals) }));
const fees = fc
  .integer({ min: 0, max: 500_000 })
  .map(units => ({ units: BigInt(units), text: decimalText(BigInt(units), 4) }));
const assetDecimals = fc.constantFrom(6, 18);
const costs = fc.bigInt({ min: 1n, max: 999_999_999_999n });
const FEE_WHOLE = 1_000_000n;

function decimalText(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

test('a cost buys as many units as the rest after the fee can pay, and no more', () => {
  fc.assert(
    fc.property(prices, fees, assetDecimals, costs, (price, fee, decimals, costCents) => {
      const order = priceOrder({ price: price.text, decimals, feePercent: fee.text, costCents });
      const scale = 10n ** BigInt(decimals + price.decimals);
      const netScaled = (order.costCents - order.feeCents) * scale;
      assert.equal(order.costCents, costCents);
      assert(order.units * price.units * 100n <= netScaled, 'paid for');
      assert((order.units + 1n) * price.units * 100n > netScaled, 'no unit more');
      assert(order.feeCents * FEE_WHOLE >= costCents * fee.units, 'the fee is never short');
      assert((order.feeCents - 1n) * FEE_WHOLE < costCents * fee.units, 'and less than a cent over');
    }),
    { numRuns: 500 },
  );
});

test('a quantity costs the least amount whose rest after the fee pays for it', () => {
  fc.assert(
    fc.property(prices, fees, assetDecimals, fc.bigInt({ min: 1n, max: 10n ** 24n }), (price, fee, decimals, units) => {
      const order = priceOrder({ price: price.text, decimals, feePercent: fee.text, units });
      const scale = 10n ** BigInt(decimals + price.decimals);
      const isEnough = (net: bigint) => net * scale >= units * price.units * 100n;
      const feeOf = (cost: bigint) => (cost * fee.units + FEE_WHOLE - 1n) / FEE_WHOLE;
      assert.equal(order.units, units);
      assert.equal(order.feeCents, feeOf(order.costCents));
      assert(isEnough(order.costCents - order.feeCents), 'paid for');
      const less = order.costCents - 1n;
      assert(!isEnough(less - feeOf(less)), 'not with a cent less');
      const back = priceOrder({ price: price.text, decimals, feePercent: fee.text, costCents: order.costCents });
      assert(back.units >= units, 'that cost buys at least as much');
    }),
    { numRuns: 500 },
  );
});

test('a price of zero, a fee of 100 % and an invalid decimal are refused', () => {
  const terms = { price: '5', decimals: 6, feePercent: '0', costCents: 100n };
  for (const wrong of [{ price: '0' }, { price: '-1' }, { price: '1e3' }, { feePercent: '100' }, { feePercent: '' }]) {
    assert.throws(() => priceOrder({ ...terms, ...wrong }), RangeError);
  }
});

test('the decimals of an asset depend on its network', () => {
  assert.equal(decimalsOf('usdt', 'bsc'), 18);
  assert.equal(decimalsOf('usdt', 'tron'), 6);
  assert.equal(parseUnits('1.5', 6), 1_500_000n);
});
