// The first steps of a newcomer as shell commands, for the home page: a charge, a webhook, the payment and an order. Each command
// works as printed after those before it.
import type { Clock } from '../lib/clock.ts';
import type { Mode } from '../lib/mode.ts';
import { EXAMPLE_CUSTOMER, exampleCharge } from './curl.ts';

type Step = { readonly title: string; readonly text: string; readonly command: string };

/** In live the commands take the API key from `$KEY`. An order there needs a network, prices and a wallet, so it is shown in a sandbox only. */
export function firstSteps(url: string, clock: Clock, mode: Mode): readonly Step[] {
  const isLive = mode === 'live';
  const send = isLive ? 'send() { curl -s "$at$1" -H "$json" -H "Authorization: Bearer $KEY" -d "$2"; }' : SEND;
  return [
    {
      title: 'Create a charge',
      text: isLive ? `${KEY} ${CREATED}` : CREATED,
      command: `at=${url} json='Content-Type: application/json'
${send}
field() { node -p "JSON.parse(fs.readFileSync(0, 'utf8')).$1"; }
charge=$(send /charges '${JSON.stringify(exampleCharge(clock, mode))}' | field id); echo $charge`,
    },
    ...(isLive ? [SENT_IN_LIVE, PAID_IN_LIVE] : [SENT_IN_SANDBOX, PAID_IN_SANDBOX, ORDER]),
  ];
}

const SEND = 'send() { curl -s "$at$1" -H "$json" -d "$2"; }';

const CREATED = 'The answer has an id and a result for each method.';
const KEY =
  'Set KEY first to a key that may also record payments: KEY=$(npx trilho keys create --account acme --scopes all,payments:write).';

const SENT_IN_SANDBOX: Step = {
  title: 'Receive events',
  text: 'A receiver on port 4000 prints the first event; curl waits until it listens. The secret of the webhook signs events. npx trilho listen does the same without a webhook.',
  command: `node -e "require('http').createServer((i, o) => i.pipe(process.stdout).on('unpipe', () => o.end(() => i.method === 'POST' && process.exit()))).listen(4000)" &
curl -s --retry 9 --retry-delay 1 --retry-connrefused localhost:4000
webhook=$(send /webhooks '{"accountId":"acme","url":"http://localhost:4000/hook","types":["charge.paid"]}' | field id); echo $webhook`,
};

const SENT_IN_LIVE: Step = {
  title: 'Receive events',
  text: 'Set HOOK to an https address of yours. The answer has the secret that signs events. npx trilho listen forwards events to a port of your own machine.',
  command: `send /webhooks '{"url":"'"$HOOK"'","types":["charge.paid"]}'`,
};

const PAID_IN_SANDBOX: Step = {
  title: 'Pay it',
  text: 'In a sandbox you are the payer. The event is printed as it comes; then the webhook is deleted.',
  command: `send /sandbox/charges/$charge/pay '{"method":"pix"}'
wait
curl -s -X DELETE $at/webhooks/$webhook`,
};

const PAID_IN_LIVE: Step = {
  title: 'Record its payment',
  text: "For a static pix key: the reference is the bank's own id of the payment.",
  command: `send /charges/$charge/payments '{"amountCents":15990,"reference":"pix of '$charge'"}'`,
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
  text: 'Its charge is paid and ten minutes of sandbox time pass: the order is fulfilled.',
  command: `wallet=$(send /wallets '${JSON.stringify(WALLET)}' | field id)
order=$(send /crypto/transactions '{"accountId":"acme","walletId":"'$wallet'",${JSON.stringify(ORDERED).slice(1, -1)},
  "charge":${JSON.stringify({ customer: EXAMPLE_CUSTOMER, methods: ['pix'] })}}' | field transactionId)
pays=$(curl -s $at/crypto/transactions/$order | field chargeId)
send /sandbox/charges/$pays/pay '{"method":"pix"}'
send /sandbox/clock '{"advance":"PT10M"}'
curl -s $at/crypto/transactions/$order`,
};
