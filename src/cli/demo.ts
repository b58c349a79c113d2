// trilho demo: a sandbox of its own in which one order is created, paid, reported by webhook and settled; then links to each part.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startApp } from '../app.ts';
import { type Config, configOf } from '../config/config.ts';
import { readSettings } from '../config/read.ts';
import type { Log } from '../lib/log.ts';
import { refuseFaults } from './arguments.ts';
import { openSandbox, type SandboxApi } from './sandbox-api.ts';
import { makeScratch, removeScratch } from './scratch.ts';
import { stopAsked } from './stop-asked.ts';
import { eventOf, paid, registered } from './trigger-steps.ts';

const ACCOUNT = 'shop';
const PAYER = { name: 'Maria da Silva', document: '529.982.247-25' };
/** The address of a published example (EIP-55), which belongs to no user. */
const WALLET = { name: 'Treasury', network: 'polygon', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
const COST = 541;
/** Long enough for the transfer to be final on Polygon. */
const UNTIL_FINAL = 'PT10M';

export async function demoCommand({ port }: Config, log: Log, args: readonly string[]): Promise<number> {
  refuseFaults('demo', args.length > 0 ? ['it takes no arguments'] : []);
  const stopping = stopAsked();
  const dataDir = await makeScratch();
  try {
    const settings = { PORT: String(port), TRILHO_DATA_DIR: dataDir, TRILHO_DEMO: 'off' };
    const app = await startApp(configOf(readSettings(settings)), { ...log, info: log.debug });
    const receiver = await startReceiver();
    try {
      console.log(`\n  A sandbox listens on ${app.url}. Playing one order:\n`);
      await Promise.race([play(app.url, receiver.url), stopping]);
      await stopping;
      console.log('  Stopping.');
    } finally {
      await receiver.stop();
      await app.stop();
    }
  } finally {
    await removeScratch(dataDir);
  }
  return 0;
}

async function play(url: string, receiverUrl: string): Promise<void> {
  const api = await openSandbox(url);
  const webhook = await api.post('/webhooks', { accountId: ACCOUNT, url: receiverUrl });
  const { id: walletId } = await api.post('/wallets', { accountId: ACCOUNT, ...WALLET });
  const order = await api.post('/crypto/transactions', {
    ...{ accountId: ACCOUNT, walletId, symbol: 'usdt', network: WALLET.network, currency: 'BRL', cost: COST },
    ...{ settlementSchedule: 'D0', charge: { customer: PAYER, methods: ['pix'] } },
  });
  const { transactionId, chargeId } = order;
  await registered(api, chargeId);
  step('Order', `${order.quantity} USDT for R$ ${COST}.00, at R$ ${order.price}; its charge waits for a pix`);
  await paid(api, chargeId);
  await eventOf(api, 'charge.paid', chargeId);
  step('Paid', 'by pix, as a payer would');
  await api.post('/sandbox/clock', { advance: UNTIL_FINAL });
  await eventOf(api, 'crypto_transaction.fulfilled', transactionId);
  const { transfer } = (await api.get(`/crypto/transactions/${transactionId}`)) as Settled;
  step('Settled', `transfer ${transfer.hash}, ${transfer.confirmations} confirmations`);
  await showLinks(api, url, { chargeId, transactionId, webhookId: webhook.id });
}

type Settled = { readonly transfer: { readonly hash: string; readonly confirmations: number } };

type Played = { readonly chargeId: string; readonly transactionId: string; readonly webhookId: string };

async function showLinks(api: SandboxApi, url: string, { chargeId, transactionId, webhookId }: Played): Promise<void> {
  const { checkoutUrl } = (await api.get(`/charges/${chargeId}`)) as { checkoutUrl: string };
  const at = url.replace('127.0.0.1', 'localhost');
  console.log(`
  What the payer sees     ${checkoutUrl}
  The charge              ${at}/dashboard/charges/${chargeId}
  The order               ${at}/dashboard/orders/${transactionId}
  The webhook             ${at}/dashboard/webhooks/${webhookId}
  Its events, as JSON     ${at}/events?objectId=${transactionId}
  The ledger              ${at}/dashboard/ledger?chargeId=${chargeId}
  What needs you          ${at}/dashboard
  Every operation         ${at}/docs/

  Ctrl-C ends it and removes its data.
`);
}

function step(name: string, text: string): void {
  console.log(`  ${name.padEnd(9)} ${text}`);
}

/** Takes every webhook of the sandbox and prints it. */
async function startReceiver(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server: Server = createServer(async (request, response) => {
    const { type } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { type: string };
    step('Webhook', `${type}, signed with ${String(request.headers['webhook-signature']).slice(0, 16)}…`);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
