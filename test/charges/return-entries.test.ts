// Entries of return files: listed over the API, and those that need a person are reported until a person has seen them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cnabCommand } from '../../src/cli/cnab.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { textOf } from '../harness/dashboard.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { recordingLog } from '../harness/log.ts';
import { logIn, SAME_ORIGIN } from '../harness/people.ts';
import { bytesOf, returnLines } from '../packages/cnab/return-lines.ts';

const RAIL = 'sicoob:main';
const { log, lines } = recordingLog();
let bench: FileExchangeBench;
let returnId: string;
let chargeId: string;
before(async () => {
  bench = await startFileExchange('756', { name: RAIL }, [], log);
  const [one, two] = await bench.send({}, {});
  chargeId = one!.charge.id;
  const common = { amountCents: 15_990n, day: '17112026' };
  const said = returnLines('756', [
    { ...common, occurrence: '26', number: one!.number, reasons: 'A7' },
    { ...common, occurrence: '26', number: two!.number },
    { ...common, occurrence: '02', number: two!.number },
  ]);
  const headers = { 'content-type': 'application/octet-stream' };
  const body = Uint8Array.from(bytesOf(said));
  const { json, text } = await bench.service.send('/boletos/returns', { method: 'POST', body, headers });
  assert.deepEqual([json.counts, json.unseen], [{ registered: 1, needs_attention: 2 }, 2], text);
  returnId = json.id;
});
after(() => bench.stop());

const entries = async (query = '') => (await bench.service.get(`/boletos/returns/${returnId}/entries${query}`)).json;
const gauge = async () =>
  /^trilho_boleto_entries_unseen\{rail="sicoob:main"\} (\d+)$/m.exec((await bench.service.get('/metrics')).text)?.[1];
const seen = async (path: string) => bench.service.post(`/boletos/returns/${returnId}${path}/seen`, {});
const command = (...args: string[]) => {
  const TRILHO_BOLETOS = JSON.stringify([agreementEntry('756', { name: RAIL })]);
  const env = { TRILHO_MODE: 'live', TRILHO_BOLETOS, DATABASE_URL: bench.service.databaseUrl };
  return runCommand(cnabCommand, env, ['seen', ...args]);
};

test('the entries of a file are listed with descriptions of their reasons, by page and by outcome', async () => {
  const all = await entries();
  assert.deepEqual(
    [all.total, all.entries.map(({ outcome }: { outcome: string }) => outcome)],
    [3, ['needs_attention', 'needs_attention', 'registered']],
  );
  const [{ occurrence, words, reasons, remark, amountCents, ourNumber, chargeId: about, seenAt }] = all.entries;
  assert.deepEqual(
    [occurrence, words, amountCents, about, seenAt],
    ['26', 'instruction refused', 15_990, chargeId, undefined],
  );
  assert.deepEqual(reasons, [{ code: 'A7', words: 'title is in that state already' }]);
  assert.match(remark, /^The bank refused an instruction: A7/);
  assert.match(ourNumber, /^\d+$/);
  const some = await entries('?outcome=needs_attention&pageSize=1&page=2');
  assert.deepEqual([some.total, some.entries.length, some.hasMore], [2, 1, false]);
  assert.equal((await bench.service.get('/boletos/returns/019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87/entries')).status, 404);
  assert.equal((await bench.service.get(`/boletos/returns/${returnId}/entries?outcome=lost`)).status, 400);
});

test('a person who works for one account cannot read entries or mark them as seen', async () => {
  const { cookie } = await logIn(bench.service, 'operator', 'acme');
  const ask = (path: string, method = 'GET') =>
    fetch(bench.service.url + path, { method, headers: { ...SAME_ORIGIN, cookie } });
  const [{ line }] = (await entries()).entries;
  const api = `/boletos/returns/${returnId}`;
  const page = `/dashboard/statements/returns/${returnId}`;
  for (const path of [`${api}/entries`, page, `${page}/seen`, `${page}/entries/${line}/seen`]) {
    const answer = await ask(path);
    assert.equal(answer.status, 403, path);
    assert.match(await answer.text(), /concerns all accounts, and you work for one/, path);
  }
  for (const path of [api, `${api}/entries/${line}`]) assert.equal((await ask(`${path}/seen`, 'POST')).status, 403);
  assert.equal(await gauge(), '2');
  assert.doesNotMatch(await (await ask('/dashboard')).text(), /Bank entries to look at/);
  assert.equal((await ask('/dashboard/statements')).status, 403);
});

test('such a person cannot get files to banks either, which name payers of all accounts', async () => {
  const { cookie } = await logIn(bench.service, 'operator', 'acme');
  const ask = (path: string) => fetch(bench.service.url + path, { headers: { ...SAME_ORIGIN, cookie } });
  const content = `/boletos/files/${encodeURIComponent(RAIL)}/1/content`;
  for (const path of [content, '/boletos/instructions', '/boletos/files', '/dashboard/boletos']) {
    assert.equal((await ask(path)).status, 403, path);
  }
});

test('an entry that needs a person is in the log, the metrics, on the first page and in the list of the command, until it was seen', async () => {
  const warned = lines.filter(line => line.includes('entries that need a person'));
  assert.deepEqual(
    warned.map(line => [JSON.parse(line).rail, JSON.parse(line).count]),
    [[RAIL, 2]],
  );
  assert.equal(await gauge(), '2');
  const { cookie } = await logIn(bench.service, 'operator');
  const headers = { ...SAME_ORIGIN, cookie, accept: 'text/html' };
  const page = async (path = '') =>
    textOf(await (await fetch(`${bench.service.url}/dashboard${path}`, { headers })).text());
  assert.match(
    await page(),
    /Bank entries to look at 2 [\s\S]*instruction refused The bank refused an instruction: A7/,
  );
  const ofFile = await page(`/statements/returns/${returnId}`);
  assert.match(ofFile, /Return \d+ of sicoob:main/);
  assert.match(ofFile, /A7 title is in that state already/);
  const listed = await command();
  assert.equal(listed.code, 1);
  assert.match(
    listed.said,
    new RegExp(`^sicoob:main return ${returnId} line \\d+, charge ${chargeId}: instruction refused`, 'm'),
  );
  assert.match(listed.said, /^2 to see\.$/m);

  const [first, second] = (await entries()).entries;
  const form = await fetch(`${bench.service.url}/dashboard/statements/returns/${returnId}/entries/${first.line}/seen`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ once: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87' }),
    redirect: 'manual',
  });
  assert.equal(form.status, 303, await form.text());
  const [{ seenAt, seenBy }] = (await entries()).entries;
  assert.deepEqual([seenAt, /^person:/.test(seenBy)], [bench.service.clock.now().toISOString(), true]);
  assert.equal(await gauge(), '1');
  assert.deepEqual((await seen(`/entries/${first.line}`)).json, { seen: 0 }, 'the first person who saw it is kept');
  assert.equal((await seen('/entries/9999')).status, 404);
  const audited = await bench.service.sql(`select from audit_inbox where object_id = $1`, [returnId]);
  const sealed = await bench.service.sql(`select from audit_log where object_id = $1`, [returnId]);
  assert.ok(audited.length + sealed.length > 0, 'it is in the audit log');

  assert.match((await command(returnId, '--line', String(second.line))).said, /^1 entry is marked as seen\.$/m);
  assert.deepEqual((await seen('')).json, { seen: 0 });
  assert.deepEqual([await gauge(), (await command()).code], ['0', 0]);
  assert.doesNotMatch(await page(), /Bank entries to look at/);
});
