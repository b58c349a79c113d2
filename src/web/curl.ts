// curl commands that work as printed, for the home page and the output at the start.

import { DAY_MS } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';

const DUE_IN_DAYS = 7;
export const EXAMPLE_CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };

/** A charge that can be created as it is. */
export function exampleCharge(clock: Clock, mode: Mode) {
  return {
    accountId: 'acme',
    amountCents: 15_990,
    currency: 'BRL',
    methods: mode === 'live' ? ['pix'] : ['boleto', 'pix'],
    customer: EXAMPLE_CUSTOMER,
    dueAt: new Date(clock.now().getTime() + DUE_IN_DAYS * DAY_MS).toISOString(),
  };
}

/** In live mode the commands take the key from `$KEY`. */
export function curlExamples(url: string, clock: Clock, mode: Mode): { list: string; charge: string } {
  const body = exampleCharge(clock, mode);
  const key = mode === 'live' ? ` -H "Authorization: Bearer $KEY"` : '';
  return {
    list: `curl '${url}/crypto/transactions?symbol=usdt&status=fulfilled'${key}`,
    charge: `curl ${url}/charges${key} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  };
}
