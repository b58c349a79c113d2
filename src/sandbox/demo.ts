// Sixty invented orders and their wallets for a new sandbox, the same each time, so that no list is empty at the start.
import { createHash } from 'node:crypto';
import { openAccount } from '../accounts/store.ts';
import { addressOf } from '../chains/address.ts';
import { type AssetSymbol, NETWORKS, NETWORKS_OF, type Network, SYMBOLS } from '../chains/asset.ts';
import { decimalsOf, familyOf } from '../chains/networks.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import type { Currency } from '../lib/currency.ts';
import { uuidV7Of } from '../lib/ids.ts';
import { SETTLEMENT_SCHEDULES, type SettlementSchedule, type Status, type Transaction } from '../orders/order.ts';
import type { Sql } from '../storage/database.ts';
import { insertWallet } from '../wallets/store.ts';
import type { Wallet } from '../wallets/wallet.ts';
import { insertDemoOrders } from './store-demo.ts';

const ACCOUNT = 'demo';
const COUNT = 60;
const NEWEST = new Date('2026-11-13T17:42:09.125Z');
const HOUR_MS = 3_600_000;
/** A little over three days, so that sixty orders cover half a year. */
const APART_MS = 73 * HOUR_MS;

/** Each with the twenty bytes of its addresses. */
const OWNERS = [
  { name: 'Treasury', body: '280ca5dc39910cddbfe09d0657fb76ca6505d63a' },
  { name: 'Supplier', body: '3e13f7b66ad6ff3621261c5043979fd240fb78bb' },
  { name: 'Payroll', body: '5d46f96b8641c212a0ba6397056bfa016a302a5b' },
] as const;

/** Hundredths of a real for one unit. */
const PRICE_CENTS = { usdt: 541n, usdc: 540n, trx: 178n, eth: 1_873_250n } as const satisfies Record<
  AssetSymbol,
  bigint
>;
const CURRENCY_PER_REAL = { BRL: 100n, USD: 540n, EUR: 625n } as const satisfies Record<Currency, bigint>;

export async function insertDemo(tx: Sql): Promise<void> {
  const transactions = demoTransactions();
  const openedAt = transactions.at(-1)!.createdAt;
  await openAccount(tx, ACCOUNT, openedAt);
  for (const owner of OWNERS) {
    for (const network of NETWORKS) await insertWallet(tx, walletOf(owner, network, openedAt));
  }
  await insertDemoOrders(tx, transactions);
}

/** Newest first. Every symbol, network and status occurs. */
function demoTransactions(): Transaction[] {
  const pairs = SYMBOLS.flatMap(symbol => NETWORKS_OF[symbol].map(network => ({ symbol, network })));
  return Array.from({ length: COUNT }, (_, index) => {
    const { symbol, network } = pairs[(index * 5) % pairs.length]!;
    const random = createHash('sha256').update(`trilho demo ${index}`).digest();
    const createdAt = new Date(NEWEST.getTime() - index * APART_MS - (random.readUInt32BE(0) % HOUR_MS));
    const wallet = walletOf(OWNERS[random[4]! % OWNERS.length]!, network, createdAt);
    const currency = (['BRL', 'BRL', 'BRL', 'USD', 'EUR'] as const)[index % 5]!;
    const schedule = SETTLEMENT_SCHEDULES[random[5]! % SETTLEMENT_SCHEDULES.length]!;
    const status = statusAt(index);
    const settlementDate = settlementAfter(createdAt, schedule);
    return {
      id: uuidV7Of(createdAt, random.subarray(6, 16)),
      accountId: ACCOUNT,
      status,
      symbol,
      network,
      ...amounts(symbol, currency, decimalsOf(symbol, network), random),
      currency,
      walletId: wallet.id,
      walletAddress: wallet.address,
      walletName: wallet.name,
      settlementSchedule: schedule,
      settlementDate,
      createdAt,
      updatedAt: status === 'fulfilled' ? settlementDate : new Date(createdAt.getTime() + 45_000),
    };
  });
}

function walletOf({ name, body }: (typeof OWNERS)[number], network: Network, createdAt: Date): Wallet {
  const address = addressOf(familyOf(network).kind, Buffer.from(body, 'hex'));
  const random = createHash('sha256').update(`${name} ${network}`).digest().subarray(0, 10);
  const id = uuidV7Of(NEWEST, random);
  return { id, accountId: ACCOUNT, name, network, address, createdAt, usableAt: createdAt };
}

/** The newest orders wait for a payment, the oldest are fulfilled. */
function statusAt(index: number): Status {
  if (index < 6) return 'pending_payment';
  if (index < 9) return 'pending_fulfillment';
  if (index < 14) return 'fulfillment_scheduled';
  if (index < 17) return 'fulfilling';
  return 'fulfilled';
}

function amounts(symbol: AssetSymbol, currency: Currency, decimals: number, random: Buffer) {
  const priceCents =
    (PRICE_CENTS[symbol] * (9_700n + BigInt(random.readUInt16BE(16) % 600)) * 100n) /
    (10_000n * CURRENCY_PER_REAL[currency]);
  const costCents = 15_000n + BigInt(random.readUInt32BE(18) % 5_000_000);
  const quantity = (costCents * 10n ** BigInt(decimals)) / priceCents;
  return { price: decimal(priceCents, 2), cost: decimal(costCents, 2), quantity: decimal(quantity, decimals) };
}

function decimal(units: bigint, scale: number): string {
  const digits = String(units).padStart(scale + 1, '0');
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Skips weekends only: demo data ignores holidays. */
function settlementAfter(createdAt: Date, schedule: SettlementSchedule): Date {
  let at = createdAt.getTime() + 20 * 60_000;
  for (let days = Number(schedule.slice(1)); days > 0; ) {
    at += DAY_MS;
    if (![0, 6].includes(new Date(at).getUTCDay())) days--;
  }
  return new Date(at);
}
