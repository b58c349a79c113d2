// Crypto transactions for tests, written the way the service writes them.
import { uuidV7 } from '../../src/lib/ids.ts';
import type { Transaction } from '../../src/orders/order.ts';
import { insertDemoOrders } from '../../src/sandbox/store-demo.ts';
import type { Service } from './service.ts';

export function transaction(changes: Partial<Transaction> = {}): Transaction {
  const createdAt = changes.createdAt ?? new Date('2026-03-01T12:00:00.000Z');
  return {
    id: uuidV7(createdAt),
    accountId: 'acme',
    status: 'fulfilled',
    symbol: 'usdt',
    network: 'polygon',
    quantity: '100',
    cost: '540',
    price: '5.4',
    currency: 'BRL',
    walletId: 'wallet-1',
    walletAddress: '0x280ca5dc39910cddbfe09d0657fb76ca6505d63a',
    walletName: 'Treasury',
    settlementSchedule: 'D0',
    settlementDate: createdAt,
    createdAt,
    updatedAt: createdAt,
    ...changes,
  };
}

export async function seed(service: Service, transactions: readonly Transaction[]): Promise<void> {
  await service.sql('insert into accounts (id, created_at) values ($1, now()) on conflict do nothing', ['acme']);
  await insertDemoOrders({ query: (text, values) => service.sql(text, [...(values ?? [])]) }, transactions);
}
