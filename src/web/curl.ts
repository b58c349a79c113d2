// One command for each operation that works as printed: on the home page and when the service starts.

import { DAY_MS } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';

const DUE_IN_DAYS = 7;

export function curlExamples(url: string, clock: Clock): { list: string; charge: string } {
  const dueAt = new Date(clock.now().getTime() + DUE_IN_DAYS * DAY_MS).toISOString();
  const body = {
    accountId: 'acme',
    amountCents: 15_990,
    currency: 'BRL',
    methods: ['boleto', 'pix'],
    customer: { name: 'Maria da Silva', document: '529.982.247-25' },
    dueAt,
  };
  return {
    list: `curl '${url}/crypto/transactions?symbol=usdt&status=fulfilled'`,
    charge: `curl ${url}/charges -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  };
}
