// The home page: its printed commands work, and its script only adds copy buttons.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readScopes } from '../../src/accounts/scopes.ts';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ work: true });
});
after(() => service.stop());

const commandsOf = (html: string) =>
  [...html.matchAll(/<pre><code>([\s\S]+?)<\/code>/g)].map(([, text = '']) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );

const runInBash = async (commands: string, env: Record<string, string> = {}) => {
  const options = { env: { ...process.env, ...env }, timeout: 300_000 };
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], options)).stdout;
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

test('in live its steps work with the named key, repeatedly', async context => {
  const rails = liveRails(
    readConfig({
      TRILHO_MODE: 'live',
      TRILHO_PIX_KEY: 'financeiro@example.com',
      TRILHO_PIX_NAME: 'Padaria',
      TRILHO_PIX_CITY: 'Recife',
    }),
    { clock: systemClock, log: silentLog },
  ).rails;
  const live = await startService({ mode: 'live', rails, work: true, resolve: async () => ['93.184.215.14'] });
  context.after(() => live.stop());
  const { text } = await live.get('/');
  assert.match(text, /--scopes all,payments:write/);
  const { text: key } = await live.makeKey('acme', readScopes('all,payments:write').scopes);
  for (let times = 0; times < 2; times++) {
    const stdout = await runInBash(commandsOf(text).join('\necho\n'), { KEY: key, HOOK: 'https://example.com/hooks' });
    assert.match(stdout, /"state":"PAID"/);
    assert.match(stdout, /"secret":"whsec_/);
  }
});

test('its steps, run one after another, lead from a charge to a fulfilled order', async () => {
  const commands = commandsOf((await service.get('/')).text);
  const printed = commands.join('\necho\n');
  assert.match(printed, /4000/);
  const stdout = await runInBash(printed.replaceAll('4000', String(await freePort())));
  assert.match(stdout, /"state":"PAID"/);
  assert.match(stdout, /"type":"charge\.paid"/, 'the event is sent to the receiver');
  assert.equal((await service.get('/webhooks')).json.total, 0, 'nothing is sent to it any more');
  assert.match(stdout, /"status":"fulfilled"/);
  const { json } = await service.get('/crypto/transactions');
  assert.equal(json.total, 1);
  assert.equal(json.transactions[0].status, 'fulfilled');
});

test('its policy allows its own script and style, and nothing else', async () => {
  const { headers, text } = await service.get('/');
  const policy = headers.get('content-security-policy') ?? '';
  for (const [tag, directive] of [
    ['script', 'script-src'],
    ['style', 'style-src'],
  ] as const) {
    const [, content = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text) ?? [];
    const hash = createHash('sha256').update(content).digest('base64');
    assert.ok(policy.includes(`${directive} 'sha256-${hash}'`), tag);
  }
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(text, / on\w+=| src=/);
});
