// For the control: one of everything that must be unique is created twice, under two keys, and the proof must report it.
import type { Caller } from '../../bench/callers.ts';
import type { Sql } from '../../src/storage/database.ts';
import { chargeBody, orderBody, REFUND_CENTS, referenceOf, WALLET } from './acts.ts';
import { AMOUNT_CENTS, DUE_AT } from './load.ts';
import { prove } from './prove.ts';

const NAME = 'made-twice';
const TERMS = { amountCents: AMOUNT_CENTS, methods: ['pix'], dueAt: DUE_AT };
/** No other payment of a drill has this number. */
const NUMBER = 99_999_999_990;

/** Returns the duplicates that the proof does not find. */
export async function unseenDoubles(db: Sql, url: string, caller: Caller): Promise<string[]> {
  async function post(path: string, body: object, key?: string): Promise<{ id: string }> {
    const type = { 'content-type': 'application/json' };
    const headers = { ...caller.headers, ...type, ...(key !== undefined && { 'idempotency-key': key }) };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  }
  const { id: walletId } = await post('/wallets', { accountId: caller.accountId, ...WALLET });
  const twice = async (make: (count: number) => Promise<{ id: string }>) => [await make(1), await make(2)] as const;

  const [{ id }] = await twice(count => post('/charges', chargeBody(NAME, TERMS, caller), `${NAME}-${count}`));
  await twice(count => {
    const body = { amountCents: AMOUNT_CENTS, reference: referenceOf(NUMBER + count), isAnother: true };
    return post(`/charges/${id}/payments`, body);
  });
  await twice(count => post(`/charges/${id}/refunds`, { amountCents: REFUND_CENTS }, `${NAME}-refund-${count}`));
  await twice(count => post('/crypto/transactions', orderBody(NAME, walletId, caller), `${NAME}-order-${count}`));
  const { doubled } = await prove(db, { charges: new Map(), payments: new Map() });
  const made = [
    `charge ${NAME}`,
    `payment of charge ${id}`,
    `ledger entry of the payment of charge ${id}`,
    `refund of charge ${id}`,
    `order ${NAME}`,
  ];
  return made
    .filter(line => !doubled.includes(line))
    .map(line => `${line} exists twice, and the proof did not find it`);
}
