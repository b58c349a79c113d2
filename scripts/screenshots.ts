// npm run docs -- screenshots <url of a new sandbox>: three months of a small shop there, then the pictures of README.
import { mkdir, writeFile } from 'node:fs/promises';
import { launchBrowser } from '../test/harness/launch-browser.ts';

const FOLDER = new URL('../docs/images/', import.meta.url);
const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2);
const ACCOUNT = 'padaria';
const CUSTOMER = {
  name: 'Maria da Silva',
  document: '529.982.247-25',
  address: { street: 'Rua das Flores, 12', city: 'São Paulo', state: 'SP', postalCode: '01001-000' },
};
const ROUNDS = 30;
const DAY_MS = 86_400_000;

type Answer = Readonly<Record<string, unknown>>;

async function call(method: string, path: string, body?: unknown, type = 'application/json'): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': type },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  });
  const said: unknown = await answer.json();
  if (!answer.ok || typeof said !== 'object' || said === null) {
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
  }
  return { ...said };
}
const post = (path: string, body: unknown = {}) => call('POST', path, body);

/** The same numbers in every run. */
let seed = 7;
function upTo(limit: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % limit;
}

async function nowMs(): Promise<number> {
  const { now } = await call('GET', '/sandbox/clock');
  return new Date(String(now)).getTime();
}

async function charge(amountCents: number, methods: readonly string[]): Promise<Answer> {
  const dueAt = new Date((await nowMs()) + 7 * DAY_MS).toISOString();
  return post('/charges', { accountId: ACCOUNT, amountCents, currency: 'BRL', methods, customer: CUSTOMER, dueAt });
}

async function order(walletId: unknown, cost: number): Promise<Answer> {
  return post('/crypto/transactions', {
    accountId: ACCOUNT,
    walletId,
    symbol: 'usdt',
    network: 'polygon',
    currency: 'BRL',
    cost,
    settlementSchedule: 'D0',
    charge: { customer: CUSTOMER, methods: ['pix'] },
  });
}

const advance = (time: string) => post('/sandbox/clock', { advance: time });
const pay = (chargeId: unknown, body: unknown) => post(`/sandbox/charges/${String(chargeId)}/pay`, body);

/** Lets the jobs of new objects run. */
async function settle(): Promise<void> {
  await advance('PT1M');
}

async function threeMonths(walletId: unknown): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const made = await Promise.all(
      Array.from({ length: 3 }, () => charge(4_000 + upTo(60_000), upTo(4) === 0 ? ['boleto'] : ['pix'])),
    );
    const ordered = await order(walletId, 200 + upTo(800));
    await settle();
    for (const one of made) await pay(one['id'], { method: 'pix' in one ? 'pix' : 'boleto' });
    await pay(ordered['chargeId'], { method: 'pix' });
    if (round % 5 === 4)
      await post(`/charges/${String(made[0]?.['id'])}/refunds`, { amountCents: 2_000 }).catch(() => {});
    await advance('P3D');
  }
}

async function whatNeedsSomeone(walletId: unknown): Promise<void> {
  const short = await order(walletId, 541);
  await charge(4_200, ['pix']);
  await settle();
  await pay(short['chargeId'], { method: 'pix', amountCents: 20_000 });
  const today = new Intl.DateTimeFormat('pt-BR', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' });
  const statement = `Data;Valor;Descrição\n${today.format(await nowMs())};42,00;PIX RECEBIDO MARIA DA SILVA\n`;
  await call('POST', '/statements', statement, 'text/csv');
}

const { id: walletId } = await post('/wallets', {
  accountId: ACCOUNT,
  name: 'Treasury',
  network: 'polygon',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
});
await threeMonths(walletId);
await whatNeedsSomeone(walletId);
await call('PATCH', `/accounts/${ACCOUNT}/settings`, {
  displayName: 'Padaria Central',
  document: '11.222.333/0001-81',
});
const { id: chargeId } = await charge(15_990, ['boleto', 'pix']);
await settle();
const { checkoutUrl } = await call('GET', `/charges/${String(chargeId)}`);

await mkdir(FOLDER, { recursive: true });
const browser = await launchBrowser();
const pictures = [
  { name: 'checkout', page: String(checkoutUrl), width: 390, height: 780 },
  { name: 'dashboard', page: `${url}/dashboard`, width: 1280, height: 1_000 },
] as const;
for (const { name, page: address, width, height } of pictures) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'pt-BR' });
    const page = await context.newPage();
    await page.goto(address);
    await writeFile(new URL(`${name}-${colorScheme}.png`, FOLDER), await page.screenshot());
    await context.close();
  }
}
await browser.close();
