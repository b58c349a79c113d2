// The first steps of a newcomer as shell commands, for the home page: a charge, its payment, a webhook and an order. Each command
// works as printed after those before it.
import type { Clock } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';
import { EXAMPLE_CUSTOMER, exampleCharge } from './curl.ts';

export type Step = { readonly title: string; readonly words: string; readonly command: string };

/** In live the commands take the API key from `$KEY`. A live service has no chain yet, so an order is shown in a sandbox only. */
export function firstSteps(url: string, clock: Clock, mode: Mode): readonly Step[] {
  const isLive = mode === 'live';
  const send = isLive ? 'send() { curl -s "$at$1" -H "$json" -H "Authorization: Bearer $KEY" -d "$2"; }' : SEND;
  return [
    {
      title: 'Create a charge',
      words: 'The answer has an id and a result for each method.',
      command: `at=${url} json='Content-Type: application/json'
${send}
field() { node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }
charge=$(send /charges '${JSON.stringify(exampleCharge(clock, mode))}' | field id); echo $charge`,
    },
    isLive ? PAID_IN_LIVE : PAID_IN_SANDBOX,
    {
      title: 'Have events sent to you',
      words:
        'The answer has the secret that signs them. npx trilho listen brings events to a port of your own machine.',
      command: `send /webhooks '${JSON.stringify({ url: 'https://example.com/hooks', types: ['charge.paid'] })}'`,
    },
    ...(isLive ? [] : [ORDER]),
  ];
}

const SEND = 'send() { curl -s "$at$1" -H "$json" -d "$2"; }';

const PAID_IN_SANDBOX: Step = {
  title: 'Pay it',
  words: 'In a sandbox you are the payer.',
  command: `send /sandbox/charges/$charge/pay '{"method":"pix"}'`,
};

const PAID_IN_LIVE: Step = {
  title: 'Record its payment',
  words: "For a static pix key: the reference is the bank's own id of the payment.",
  command: `send /charges/$charge/payments '{"amountCents":15990,"reference":"E9999999920261210130000000000001"}'`,
};

const WALLET = {
  accountId: 'acme',
  name: 'Treasury',
  network: 'polygon',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
};
const ORDERED = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541, settlementSchedule: 'D0' };

const ORDER: Step = {
  title: 'Order crypto',
  words: 'Its charge is paid and ten minutes of sandbox time pass: the order is fulfilled.',
  command: `wallet=$(send /wallets '${JSON.stringify(WALLET)}' | field id)
order=$(send /crypto/transactions '{"accountId":"acme","walletId":"'$wallet'",${JSON.stringify(ORDERED).slice(1, -1)},
  "charge":${JSON.stringify({ customer: EXAMPLE_CUSTOMER, methods: ['pix'] })}}' | field transactionId)
pays=$(curl -s $at/crypto/transactions/$order | field chargeId)
send /sandbox/charges/$pays/pay '{"method":"pix"}'
send /sandbox/clock '{"advance":"PT10M"}'
curl -s $at/crypto/transactions/$order`,
};
