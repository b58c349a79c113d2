// The first page's list of what needs a person, and the acts that it links to.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type PayoutService, startPayoutService } from '../../harness/payout-service.ts';
import { type Answer, type Service, startService } from '../../harness/service.ts';

const LIMITS = JSON.stringify({ limits: [{ symbol: 'usdt', network: 'polygon', approvalAbove: '50' }] });

let payouts: PayoutService;
let service: Service;
before(async () => {
  const silent = { providers: [{ name: 'node-one', isAnswering: false }] };
  payouts = await startPayoutService(
    chain => (chain.network === 'tron' ? { ...chain, health: async () => silent } : chain),
    undefined,
    { TRILHO_PAYOUTS: LIMITS, TRILHO_WALLET_APPROVAL: 'off' },
  );
  ({ service } = payouts);
});
after(() => payouts.stop());

/** A paid order on polygon, with the jobs of the sandbox run. */
async function paid(changes: Record<string, unknown> = {}): Promise<Answer> {
  const order = await payouts.paid(changes);
  await service.runJobs();
  return order;
}

test('a payout above the limit is shown with its full address; approving it does not send it by itself', async () => {
  const order = await paid();
  const { transactionId } = order.json;
  const { walletAddress, holdReason } = (await service.get(`/crypto/transactions/${transactionId}`)).json;
  assert.equal(holdReason, 'approval_needed');
  const page = await view(service, '');
  assert.match(textOf(page), /Payouts to approve 1 /);
  assert.ok(page.includes(walletAddress));
  const question = await view(service, `/orders/${transactionId}/approve`);
  for (const said of [walletAddress, '100 USDT', 'polygon', 'this button sends nothing']) {
    assert.ok(textOf(question).includes(said), said);
  }
  assert.match(textOf(question), /Network fee at most [\d.,]+ POL ?, from the wallet that sends/);
  const answer = await submit(service, `/orders/${transactionId}/approve`);
  assert.equal(answer.headers.get('location'), `/dashboard/orders/${transactionId}`);
  assert.equal((await payouts.payouts(order)).length, 0);
  assert.doesNotMatch(await view(service, ''), /Payouts to approve/);
  await service.runJobs();
  assert.equal((await payouts.payouts(order)).length, 1);
});

test('sent crypto is in the figures, with the time since its payment', async () => {
  const order = await paid({ cost: 54.1 });
  await payouts.orders.advance('PT1H');
  for (let round = 0; round < 3; round++) await service.runJobs();
  assert.equal((await payouts.orders.read(order)).status, 'fulfilled');
  // Figures are cached for half a minute.
  service.clock.advanceMs(60_000);
  const page = textOf(await view(service, ''));
  assert.match(page, /Crypto out [\d.,]+ USDT on polygon/);
  assert.match(page, /Payment to crypto (?:\d+ (?:s|min|h|d) ?){1,2}/);
  assert.match(page, /From payment to crypto .* Median time/);
});

test('payouts are paused and resumed, and the first page shows the pause', async () => {
  const paused = await submit(service, '/payouts/pause', { network: 'polygon', symbol: '', reason: 'key rotation' });
  assert.equal(paused.status, 303);
  assert.match(textOf(await view(service, '')), /Payouts on polygon are paused\. key rotation/);
  const resumed = await submit(service, '/payouts/resume?network=polygon', { network: 'polygon', symbol: '' });
  assert.equal(resumed.status, 303);
  assert.doesNotMatch(await view(service, ''), /Paused payouts/);
});

test('a sender whose key was used elsewhere is listed until a person resumes it', async () => {
  await payouts.orders.fault('bsc', { fault: 'foreign_use' });
  await paid({ network: 'bsc' });
  await payouts.orders.fault('bsc', { fault: 'none' });
  await payouts.orders.advance('PT10M');
  // The order may have been paid by that transaction: its hash is looked up.
  const [, transactionId = ''] =
    /href="\/dashboard\/orders\/([\da-f-]{36})\/settle"/.exec(await view(service, '')) ?? [];
  const hash = `0x${'ab'.repeat(32)}`;
  const unknown = await submit(service, `/orders/${transactionId}/settle`, { as: 'paid', hash });
  assert.equal(unknown.status, 409, textOf(await unknown.text()));
  const without = await submit(service, `/orders/${transactionId}/settle`, { as: 'paid', hash: '' });
  assert.match(textOf(await without.text()), /Hash is missing/);
  const [halted] = (await service.get('/payouts/senders/halted')).json.senders;
  assert.equal(halted.network, 'bsc');
  const page = await view(service, '');
  assert.match(textOf(page), new RegExp(`Halted senders 1 .* bsc ${halted.sender}`));
  const [, href = ''] = /href="\/dashboard(\/payouts\/senders\/resume[^"]*)"/.exec(page) ?? [];
  const choice = { network: 'bsc', sender: halted.sender };
  const resumed = await submit(service, href.replaceAll('&amp;', '&'), choice);
  assert.equal(resumed.status, 303, await resumed.text());
  assert.doesNotMatch(await view(service, ''), /Halted senders/);
  assert.deepEqual((await service.get('/payouts/senders/halted')).json.senders, []);
  // Pressed again, it changes nothing; an unknown sender cannot be resumed.
  assert.equal((await service.post('/payouts/senders/resume', choice)).status, 200);
  assert.equal((await service.post('/payouts/senders/resume', { ...choice, sender: 'nobody' })).status, 404);
  const next = await paid({ network: 'bsc', cost: 54.1 });
  await payouts.orders.advance('PT1H');
  assert.equal((await payouts.payouts(next)).length, 1);
});

test('a network without an answering node is listed, and so is a wallet low on funds', async () => {
  assert.match(textOf(await view(service, '')), /Networks 1 See all .* tron No node answers\./);
  const health = textOf(await view(service, '/health'));
  assert.match(health, / tron failing No node answers\./);
  assert.match(health, / polygon ok /);
  await service.sql(
    `insert into payout_alarms (id, reason, network, subject, words, raised_at)
     values ('019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87', 'low_funds', 'polygon', 'pol', 'The sender has 0.1 pol; the limit is 2.', now())`,
  );
  assert.match(
    textOf(await view(service, '')),
    /polygon low funds The sender has 0\.1 pol; the limit is 2\. .* Send more/,
  );
  await service.sql('delete from payout_alarms');
});

test('a payout is shown with every transaction that was signed for it', async () => {
  const order = await paid({ cost: 54.1 });
  const { payouts: list } = (await service.get('/payouts')).json;
  const one = list.find((payout: { transactionId: string }) => payout.transactionId === order.json.transactionId);
  const page = await view(service, `/payouts/${one.id}`);
  for (const said of [one.destination, one.sender, one.attempts[0].hash]) assert.ok(page.includes(said), said);
});

test('certificates that expire within a month, silent rails and wallets that wait for an approval are listed', async t => {
  const ending = { at: new Date(0) };
  const pix = { ...sandboxRails.pix, certificateEnd: () => ending.at };
  const other = await startService({ rails: { ...sandboxRails, pix }, env: { TRILHO_WALLET_APPROVAL: 'on' } });
  t.after(() => other.stop());
  const inDays = (days: number) => new Date(other.clock.now().getTime() + days * 86_400_000);
  ending.at = inDays(31);
  assert.match(textOf(await view(other, '')), /Nothing needs you\./);
  ending.at = inDays(29);
  assert.match(textOf(await view(other, '')), /Certificates 1 .* sandbox ends soon/);
  assert.match(textOf(await view(other, '/health')), /Certificates Certificates Of Ends sandbox \d/);
  ending.at = inDays(-1);
  assert.match(textOf(await view(other, '')), /sandbox ended/);
  ending.at = inDays(300);
  await other.sql('update rails set silent_since = now()');
  assert.match(textOf(await view(other, '')), /Rails \d .* down does not answer since/);
  await other.sql('update rails set silent_since = null');
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const fields = { accountId: 'acme', name: 'Treasury', network: 'polygon', address };
  const made = await submit(other, '/wallets/new', fields);
  assert.equal(made.status, 303);
  const wallet = (made.headers.get('location') ?? '').replace('/dashboard', '');
  assert.match(
    textOf(await view(other, '')),
    new RegExp(`Wallets to approve 1 .* Treasury acme polygon ${address} none`),
  );
  assert.equal((await submit(other, `${wallet}/approve`, {})).status, 303);
  assert.match(textOf(await view(other, '')), /Nothing needs you\./);
  assert.match(textOf(await view(other, wallet)), /Approved \d/);
});
