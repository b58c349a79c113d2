// trilho checkout and trilho accounts settings: what they print, change and refuse.
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { accountsCommand } from '../../src/cli/accounts.ts';
import { checkoutCommand } from '../../src/cli/checkout.ts';
import { readConfig } from '../../src/config/config.ts';
import { StartError } from '../../src/lib/errors.ts';
import { newCharge } from '../harness/checkouts.ts';
import { silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

const PUBLIC_URL = 'https://pay.example.com';
const COMMANDS = { accounts: accountsCommand, checkout: checkoutCommand };

let service: Service;
before(async () => {
  service = await startService({ env: { TRILHO_PUBLIC_URL: PUBLIC_URL } });
});
after(() => service.stop());

async function trilho(name: keyof typeof COMMANDS, ...args: string[]): Promise<string> {
  const config = readConfig({ DATABASE_URL: service.databaseUrl, TRILHO_PUBLIC_URL: PUBLIC_URL });
  const said = mock.method(console, 'log', () => {});
  const aside = mock.method(console, 'error', () => {});
  try {
    assert.equal(await COMMANDS[name](config, silentLog, args), 0);
    return said.mock.calls.map(call => String(call.arguments[0])).join('\n');
  } finally {
    said.mock.restore();
    aside.mock.restore();
  }
}
const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

test('the link of a charge is printed, and withdrawn', async () => {
  const id = await newCharge(service);
  const link = async () => (await service.get(`/charges/${id}`)).json.checkoutUrl;
  assert.equal(await trilho('checkout', 'link', id), await link());
  const before = await link();
  const next = await trilho('checkout', 'withdraw', before);
  assert.notEqual(next, before);
  assert.equal(next, await link());
  await assert.rejects(trilho('checkout', 'withdraw', before), refusal(/withdrawn already/));
  assert.equal(next, await link(), 'a repeat withdraws no other link');
  for (const wrong of [id, `${PUBLIC_URL}/pay/x`, `${next.slice(0, -4)}AAAA`]) {
    await assert.rejects(trilho('checkout', 'withdraw', wrong), refusal(/<link> must be the checkoutUrl of a charge/));
  }
  await assert.rejects(trilho('checkout', 'link', '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17'), refusal(/no such charge/));
  await assert.rejects(trilho('checkout', 'link', 'x'), refusal(/must be a UUID/));
});

test('the settings of an account are changed and printed; a fault is named and nothing is written', async () => {
  await newCharge(service, { accountId: 'shop' });
  const printed = await trilho('accounts', 'settings', 'shop', '--name', 'Padaria', '--colour', '#0B6B4A');
  assert.deepEqual(JSON.parse(printed), (await service.get('/accounts/shop/settings')).json);
  await assert.rejects(
    trilho('accounts', 'settings', 'shop', '--name', 'Other', '--colour', '#ffffff'),
    refusal(/colour must have a contrast to white/),
  );
  assert.equal(JSON.parse(await trilho('accounts', 'settings', 'shop')).displayName, 'Padaria');
  assert.equal(JSON.parse(await trilho('accounts', 'settings', 'shop', '--colour', 'none')).colour, undefined);
  await assert.rejects(trilho('accounts', 'settings', 'nobody'), refusal(/no such account/));
});
