// A hash and an address link to the explorer of their network in live mode; a sandbox's chains have no explorer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NETWORKS, NETWORKS_OF, type Network, SYMBOLS } from '../../../src/chains/asset.ts';
import { NETWORK_FACTS } from '../../../src/chains/networks.ts';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { view } from '../../harness/dashboard.ts';
import { logIn } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';
import { seed, transaction } from '../../harness/transactions.ts';

const EVM = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const EVM_HASH = `0x${'ab'.repeat(32)}`;
const TRON_HASH = 'cd'.repeat(32);
/** Another network has its explorer only in its file. */
const SITES: { readonly [N in Network]?: string } = {
  ethereum: 'https://etherscan.io/tx/',
  polygon: 'https://polygonscan.com/tx/',
  base: 'https://basescan.org/tx/',
  arbitrum: 'https://arbiscan.io/tx/',
  bsc: 'https://bscscan.com/tx/',
  tron: 'https://tronscan.org/#/transaction/',
};

const payouts = new Map<string, string>();
async function fill(service: Service): Promise<void> {
  for (const network of NETWORKS) {
    const isTron = network === 'tron';
    const [address, hash] = isTron ? [TRON, TRON_HASH] : [EVM, EVM_HASH];
    const symbol = SYMBOLS.find(one => NETWORKS_OF[one].some(home => home === network))!;
    const order = transaction({ network, symbol, walletAddress: address });
    await seed(service, [order]);
    await service.sql('insert into chain_senders (network, sender, next_nonce) values ($1, $2, 1)', [network, address]);
    await service.sql(
      `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, destination, state, hash, created_at, updated_at)
       values ($1, 'acme', $1, $2, $3, 0, $4, 1, $3, 'done', $5, now(), now())`,
      [order.id, network, address, symbol, hash],
    );
    payouts.set(network, order.id);
  }
}

let live: Service;
before(async () => {
  live = await startService({ mode: 'live', rails: sandboxRails });
});
after(() => live.stop());

test('a live payout links its hash and its addresses to the explorer of its network', async () => {
  await fill(live);
  const { cookie } = await logIn(live, 'owner');
  for (const network of NETWORKS) {
    const url = `${live.url}/dashboard/payouts/${payouts.get(network)}`;
    const page = await (await fetch(url, { headers: { accept: 'text/html', cookie } })).text();
    const [address, hash] = network === 'tron' ? [TRON, TRON_HASH] : [EVM, EVM_HASH];
    const { explorer } = NETWORK_FACTS[network];
    assert.equal(explorer.transaction, SITES[network] ?? explorer.transaction);
    const link = `<a class="outside" href="${explorer.transaction}${hash}" target="_blank" rel="noopener noreferrer">`;
    assert.ok(page.includes(link), `${network}: ${page.match(/<a class="outside"[^>]*>/g)?.join(' ')}`);
    const site = explorer.transaction.replace(/(tx|transaction)\/$/, 'address/');
    assert.ok(page.includes(`href="${site}${address}"`), network);
  }
  const list = await (
    await fetch(`${live.url}/dashboard/payouts`, { headers: { accept: 'text/html', cookie } })
  ).text();
  assert.ok(list.includes(`href="https://tronscan.org/#/address/${TRON}"`));
});

test('a sandbox links to no explorer', async t => {
  const sandbox = await startService();
  t.after(() => sandbox.stop());
  await fill(sandbox);
  for (const id of payouts.values()) assert.doesNotMatch(await view(sandbox, `/payouts/${id}`), /class="outside"/);
});
