// The home page: what it prints works, and its script adds nothing but copy buttons.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ resolve: async () => ['93.184.215.14'] });
});
after(() => service.stop());

const commandsOf = (html: string) =>
  [...html.matchAll(/<pre><code>([\s\S]+?)<\/code>/g)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );

test('its steps, run one after the other, lead from a charge to a fulfilled order', async () => {
  const commands = commandsOf((await service.get('/')).text);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands.join('\necho\n')]);
  assert.match(stdout, /"state":"PAID"/);
  assert.match(stdout, /"secret":"whsec_/);
  assert.match(stdout, /"status":"fulfilled"/);
  const { json } = await service.get('/crypto/transactions');
  assert.equal(json.total, 1);
  assert.equal(json.transactions[0].status, 'fulfilled');
});

test('its policy admits its own script and style, and nothing else', async () => {
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
