// Objects for the random cases: orders that are paid, sent, held or open, boletos that a bank knows, a webhook with deliveries,
// money without a charge. Created by ordinary requests before the first case.
import { agreementEntry, boletoBody } from '../../test/harness/agreements.ts';
import { keepFound } from './found.ts';

type Json = { readonly id: string; readonly transactionId: string; readonly chargeId: string; readonly file: string };

/** Agreements with simulated banks. */
export const BOLETOS = JSON.stringify([agreementEntry('756', { accounts: ['demo', 'acme'], test: true })]);
const AGREEMENT = 'bank756:main';

const OF_EACH = 8;
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };
const FAR = '2030-12-10T23:59:59-03:00';
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

/** Returns the objects, under the names by which cases use them. */
export async function prepare(url: string, receiverUrl: string): Promise<Map<string, string[]>> {
  const known = new Map<string, string[]>([['agreement', [AGREEMENT]]]);

  async function ask(method: string, path: string, body?: object | string): Promise<Json> {
    const content =
      typeof body === 'string'
        ? { headers: { 'content-type': 'text/csv' }, body }
        : body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, ...content });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const json = JSON.parse(text) as Json;
    keepFound(known, `${method} ${path}`, json);
    return json;
  }
  const post = (path: string, body?: object | string) => ask('POST', path, body);
  const get = (path: string) => ask('GET', path);

  const walletOn = async (network: string) =>
    (await post('/wallets', { accountId: 'demo', name: 'Treasury', network, address: ADDRESS })).id;
  const wallets = { polygon: await walletOn('polygon'), base: await walletOn('base') };
  await post('/webhooks', { url: receiverUrl });
  const order = (more: object, network: keyof typeof wallets = 'polygon') =>
    post('/crypto/transactions', {
      accountId: 'demo',
      symbol: 'usdc',
      network,
      currency: 'BRL',
      cost: 500,
      walletId: wallets[network],
      settlementSchedule: 'D0',
      ...more,
    });
  const advance = (duration: string) => post('/sandbox/clock', { advance: duration });
  const payOrders = async (network: keyof typeof wallets, waits: string, dates: object = {}) => {
    const orders: Json[] = [];
    for (let count = 0; count < OF_EACH; count++) {
      orders.push(await order({ charge: { customer: CUSTOMER, methods: ['pix'], ...dates } }, network));
    }
    await advance(waits);
    for (const { chargeId } of orders) await post(`/sandbox/charges/${chargeId}/pay`, { method: 'pix' });
  };
  await payOrders('polygon', 'PT10S');
  await advance('PT2H');
  // Held, because their transfers revert.
  await post('/sandbox/chains/polygon', { fault: 'reverting' });
  await payOrders('polygon', 'PT10S');
  await advance('PT10M');
  await post('/sandbox/chains/polygon', { fault: 'none' });
  await advance('PT30M');
  // Held, because their price is too old.
  await payOrders('polygon', 'P2D', { dueAt: FAR, expireAt: FAR });
  // Sent, and in no block.
  await post('/sandbox/chains/base', { fault: 'stalled' });
  await payOrders('base', 'PT10S');
  await advance('PT1M');
  for (let count = 0; count < OF_EACH; count++) {
    // Some are deleted before an order names them.
    await walletOn('polygon');
    await walletOn('polygon');
    await order({});
    await order({ charge: { customer: CUSTOMER, methods: ['pix'] } });
    await post('/charges', boletoBody({ accountId: 'acme', dueAt: FAR }));
  }
  await advance('PT1M');
  const bank = `/sandbox/banks/${encodeURIComponent(AGREEMENT)}`;
  await post('/boletos/files', { agreement: AGREEMENT });
  await get('/boletos/files');
  await post(`${bank}/files`);
  const { file } = await post(`${bank}/returns`, { read: false });
  known.set('file', [file]);
  await post('/statements', 'date;amount\n2026-11-01;10,00\n2026-11-02;20,00\n');
  for (const path of ['/payments/unmatched', '/payouts?pageSize=100', '/events?limit=100', '/sandbox/chains'])
    await get(path);
  for (const id of known.get('webhooks') ?? []) await get(`/webhooks/${id}/deliveries`);
  return known;
}
