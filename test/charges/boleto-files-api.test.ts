// Files to banks over the API and on the dashboard.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { boletoBody } from '../harness/agreements.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { logIn, SAME_ORIGIN } from '../harness/people.ts';

const RAIL = 'sicoob:main';
let bench: FileExchangeBench;
before(async () => {
  bench = await startFileExchange('756', { name: RAIL, maxTitles: 2 });
});
after(() => bench.stop());

async function charges(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await bench.service.post('/charges', boletoBody())).json.id);
  await bench.service.runJobs();
  return ids;
}

test('files are made of waiting boletos, listed, and fetched with the same bytes each time', async () => {
  await charges(3);
  const made = await bench.service.post('/boletos/files', { agreement: RAIL });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    made.json.files.map(({ sequence, titles, name }: Record<string, unknown>) => [sequence, titles, name]),
    [
      [1, 2, 'sicoob-main-000001.rem'],
      [2, 1, 'sicoob-main-000002.rem'],
    ],
  );
  assert.deepEqual((await bench.service.post('/boletos/files', { agreement: RAIL })).json, { files: [] });
  const listed = await bench.service.get('/boletos/files?pageSize=1');
  assert.deepEqual([listed.json.total, listed.json.hasMore, listed.json.files[0].sequence], [2, true, 2]);
  const [{ digest }] = made.json.files;
  for (const _ of ['first', 'again']) {
    const { status, text, headers } = await bench.service.get('/boletos/files/sicoob:main/1/content');
    assert.equal(status, 200);
    assert.equal(createHash('sha256').update(text, 'latin1').digest('hex'), digest);
    assert.equal(headers.get('content-disposition'), 'attachment; filename="sicoob-main-000001.rem"');
    assert.equal(headers.get('cache-control'), 'no-store');
  }
});

test('fetching a file changes nothing, and the audit log shows who did', async () => {
  const { cookie, id } = await logIn(bench.service, 'operator');
  const path = '/boletos/files/sicoob:main/1/content';
  // A link on another site may lead here too.
  const headers = { cookie, 'sec-fetch-site': 'cross-site' };
  assert.equal((await fetch(bench.service.url + path, { headers, method: 'HEAD' })).status, 200);
  assert.match(await (await fetch(bench.service.url + path, { headers })).text(), /^75600000/);
  const lines = await bench.service.sql(
    `select action, object_id from (select action, object_id, actor from audit_inbox union all
       select action, object_id, actor from audit_log) lines where actor = $1 and action not like 'POST %'`,
    [`person:${id}`],
  );
  assert.deepEqual(lines, [{ action: 'GET /boletos/files/:agreement/:sequence/content', object_id: 'sicoob:main 1' }]);
  const { files } = (await bench.service.get('/boletos/files')).json;
  assert.deepEqual(
    files.map(({ offeredAt }: Record<string, unknown>) => offeredAt),
    [undefined, undefined],
  );
});

test('a file that a person takes to the bank is not put into the folder', async () => {
  const place = await mkdtemp(path.join(tmpdir(), 'offered-'));
  const take = () => bench.service.post('/boletos/files/sicoob:main/1/take', undefined);
  const taken = await take();
  assert.equal(taken.status, 200, taken.text);
  assert.deepEqual([taken.json.isTakenByHand, taken.json.offeredAt], [true, bench.service.clock.now().toISOString()]);
  assert.equal((await take()).json.isTakenByHand, true);
  assert.equal((await bench.service.post('/boletos/files/sicoob:main/999/take', undefined)).status, 404);
  const offered = await bench.offer(place);
  assert.deepEqual(
    offered.map(({ sequence }) => sequence),
    [2],
  );
  const { files } = (await bench.service.get('/boletos/files')).json;
  assert.deepEqual(
    files.map(({ sequence, isTakenByHand }: Record<string, unknown>) => [sequence, isTakenByHand]),
    [
      [2, undefined],
      [1, true],
    ],
  );
});

test('instructions are listed by their status', async () => {
  const [waiting, dropped] = await charges(2);
  await bench.service.post(`/charges/${dropped}/cancel`, {});
  await bench.service.runJobs();
  const of = async (query: string) => (await bench.service.get(`/boletos/instructions?${query}`)).json;
  const found = await of('status=waiting');
  assert.deepEqual([found.total, found.instructions[0].chargeId], [1, waiting]);
  assert.deepEqual((await of('status=dropped')).instructions[0].chargeId, dropped);
  const sent = await of(`status=in_file&agreement=${encodeURIComponent(RAIL)}`);
  assert.deepEqual([sent.total, sent.instructions[0].file, sent.instructions[0].movement], [3, 2, 'register']);
  assert.equal((await of('agreement=none')).total, 0);
});

test('a file or an agreement that is not there is not found, and each route needs its scope', async () => {
  assert.equal((await bench.service.get('/boletos/files/sicoob:main/999/content')).status, 404);
  assert.equal((await bench.service.get('/boletos/files/sicoob:main/x/content')).status, 404);
  assert.equal((await bench.service.get('/boletos/files/sicoob%00main/1/content')).status, 404);
  const unknown = await bench.service.post('/boletos/files', { agreement: 'none' });
  assert.equal(unknown.json.errors[0].path, 'agreement', unknown.text);
  const { text } = await bench.service.makeKey('acme', ['statements:read']);
  const headers = { authorization: `Bearer ${text}` };
  assert.equal((await bench.service.get('/boletos/files', headers)).status, 200);
  assert.equal((await bench.service.get('/boletos/files/sicoob:main/1/content', headers)).status, 403);
  assert.equal((await bench.service.post('/boletos/files', { agreement: RAIL }, headers)).status, 403);
});

test('the dashboard shows agreements and files, and a person makes and fetches them', async () => {
  const { cookie } = await logIn(bench.service, 'operator');
  const headers = { ...SAME_ORIGIN, cookie, accept: 'text/html' };
  const page = await fetch(`${bench.service.url}/dashboard/boletos`, { headers });
  const text = await page.text();
  assert.equal(page.status, 200);
  assert.match(text, /sicoob:main/);
  assert.match(text, /href="\/boletos\/files\/sicoob%3Amain\/2\/content"/);
  const fetched = await fetch(`${bench.service.url}/boletos/files/sicoob%3Amain/2/content`, { headers });
  assert.match(await fetched.text(), /^75600000/);
  const send = (act: string, fields: Record<string, string>) =>
    fetch(`${bench.service.url}/dashboard/boletos/${act}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ agreement: RAIL, ...fields }),
      redirect: 'manual',
    });
  const made = await send('make', { once: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87' });
  assert.equal(made.status, 303, await made.text());
  const newest = async () => (await bench.service.get('/boletos/files')).json.files[0];
  assert.deepEqual([(await newest()).sequence, (await newest()).offeredAt], [3, undefined]);
  assert.match(text, /href="\/dashboard\/boletos\/take\?agreement=sicoob%3Amain&amp;file=2"/);
  assert.equal((await send('take', { file: '3' })).status, 303);
  assert.equal((await newest()).isTakenByHand, true);
  const viewer = { ...headers, cookie: (await logIn(bench.service, 'viewer')).cookie };
  const seen = await (await fetch(`${bench.service.url}/dashboard/boletos`, { headers: viewer })).text();
  assert.match(seen, /sicoob-main-000002\.rem/);
  assert.doesNotMatch(seen, /\/content"/, 'files hold names and documents');
});
