// Orders for tests, driven through the front door.
import assert from 'node:assert/strict';
import type { Answer, Service } from './service.ts';

/** Made-up addresses with valid checksums. */
export const ADDRESSES = {
  evm: '0x52908400098527886E0F7030069857D2E4169EE7',
  tron: 'TJUQsHBcRMgNzUU7vb6xMy3tHUDzWGb5hy',
} as const;

export type OrderDriver = {
  /** The account's wallet on a network, made once. */
  wallet(network: string): Promise<string>;
  quote(changes?: Record<string, unknown>): Promise<Answer>;
  /** By default an order of 540 reais of usdt on polygon by pix, D0. */
  order(changes?: Record<string, unknown>): Promise<Answer>;
  pay(order: Answer, changes?: Record<string, unknown>): Promise<Answer>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back.
  read(order: Answer | string): Promise<any>;
  advance(duration: string): Promise<void>;
  fault(network: string, change: Record<string, unknown>): Promise<Answer>;
  /** Names of the order's events in order, without their prefix. */
  events(order: Answer | string): Promise<string>;
};

export const CHARGE_PART = { customer: { name: 'Maria da Silva', document: '529.982.247-25' }, methods: ['pix'] };

export function orderDriver(service: Service, accountId = 'acme'): OrderDriver {
  const wallets = new Map<string, string>();
  const idOf = (order: Answer | string) => (typeof order === 'string' ? order : order.json.transactionId);

  async function wallet(network: string): Promise<string> {
    const known = wallets.get(network);
    if (known) return known;
    const address = network === 'tron' ? ADDRESSES.tron : ADDRESSES.evm;
    const { status, json, text } = await service.post('/wallets', { accountId, name: 'Treasury', network, address });
    assert.equal(status, 201, text);
    wallets.set(network, json.id);
    return json.id;
  }

  return {
    wallet,
    quote: (changes = {}) =>
      service.post('/crypto/quotes', { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541, ...changes }),

    order: async (changes = {}) => {
      const fields = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541 };
      const { headers, ...given } = changes as Record<string, unknown> & { headers?: Record<string, string> };
      const body = {
        accountId,
        ...('quoteId' in given ? {} : fields),
        settlementSchedule: 'D0',
        charge: CHARGE_PART,
        ...given,
      };
      const network = (body as { network?: string }).network ?? 'polygon';
      return service.post(
        '/crypto/transactions',
        { walletId: given['walletId'] ?? (await wallet(network)), ...body },
        headers,
      );
    },

    pay: (order, changes = {}) =>
      service.post(`/sandbox/charges/${order.json.charge.id}/pay`, { method: 'pix', ...changes }),

    read: async order => (await service.get(`/crypto/transactions/${idOf(order)}`)).json,

    advance: async duration => {
      const { status, text } = await service.post('/sandbox/clock', { advance: duration });
      assert.equal(status, 200, text);
    },

    fault: (network, change) => service.post(`/sandbox/chains/${network}`, change),

    events: async order => {
      const rows = await service.sql<{ type: string; sequence: number }>(
        'select type, sequence from events where object_id = $1 order by sequence',
        [idOf(order)],
      );
      assert.deepEqual(
        rows.map(row => row.sequence),
        rows.map((_, index) => index + 1),
      );
      return rows.map(row => row.type.replace('crypto_transaction.', '')).join(' ');
    },
  };
}
