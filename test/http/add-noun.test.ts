// Adding a noun takes a folder and two lines, as docs/adding-a-noun.md says. The test uses every part: operations, events, a timer with
// its job, charges that it follows, a setting, pruning, a page, the menu, access by account, and the OpenAPI document.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import type { Service } from '../harness/service.ts';
import { withLines } from '../harness/with-lines.ts';

const urlOf = (file: string) => new URL(`../fixtures/notes/${file}`, import.meta.url);
const TABLES = readFileSync(urlOf('notes.sql'), 'utf8');
const MODULES = 'const modules: readonly Module[] = [';
const NEVER_MADE = '00000000-0000-7000-8000-000000000000';

const project = withLines('notes', [
  { list: '/src/nouns.ts', after: 'SHIPPED = [', entry: 'notes', imports: 'notes', from: urlOf('noun.ts').href },
  {
    list: '/src/app.ts',
    after: MODULES,
    entry: 'notesModule(core, config)',
    imports: 'notesModule',
    from: urlOf('module.ts').href,
  },
]);
let startService: typeof import('../harness/service.ts').startService;
let logIn: typeof import('../harness/people.ts').logIn;
let service: Service;

/** A real noun has a migration; here its table is created after the start. */
async function start(options: Parameters<typeof startService>[0]): Promise<Service> {
  const started = await startService(options);
  await started.sql(TABLES);
  return started;
}

before(async () => {
  ({ startService } = (await project.load('service.ts')) as typeof import('../harness/service.ts'));
  ({ logIn } = (await project.load('people.ts')) as typeof import('../harness/people.ts'));
  service = await start({ env: { TRILHO_KEEP_NOTES: 'P10D' } });
});
after(async () => {
  await service.stop();
  project.end();
});

const noteOf = (accountId: string) => ({ accountId, text: 'Call the bank', remindAt: '2026-11-20T12:00:00Z' });

test('a note is created and read, its timer runs its job, and it is pruned', async () => {
  const made = await service.post('/notes', noteOf('acme'));
  assert.equal(made.status, 201, made.text);
  const path = `/notes/${made.json.id}`;
  assert.deepEqual((await service.get(path)).json, made.json);
  assert.equal((await service.get(`/notes/${NEVER_MADE}`)).status, 404);

  const moved = await service.post('/sandbox/clock', { advance: 'P5D' });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await service.get(path)).json.remindedAt, '2026-11-20T12:00:00.000Z');

  const { json } = await service.get('/events?type=note.reminded');
  const [event] = json.events;
  assert.equal(event.objectId, made.json.id);
  assert.equal(event.sequence, 2);
  assert.equal(event.object.text, 'Call the bank');

  await service.prune();
  assert.equal((await service.get(path)).status, 200, 'it is kept for ten days');
  assert.equal((await service.post('/sandbox/clock', { advance: 'P10D' })).status, 200);
  await service.prune();
  assert.equal((await service.get(path)).status, 404);
});

test('it follows charges: a payment of one that names a note reminds of it', async () => {
  const note = await service.post('/notes', { ...noteOf('acme'), remindAt: '2027-11-20T12:00:00Z' });
  const charge = await service.post('/charges', chargeBody({ accountId: 'acme', metadata: { noteId: note.json.id } }));
  await service.runJobs();
  assert.equal((await service.get(`/notes/${note.json.id}`)).json.remindedAt, undefined);
  const paid = await service.post(`/charges/${charge.json.id}/payments`, {
    method: 'pix',
    amountCents: 15_990,
    reference: 'E2E-note',
  });
  assert.equal(paid.status, 201, paid.text);
  await service.runJobs();
  assert.ok((await service.get(`/notes/${note.json.id}`)).json.remindedAt);
});

test('every fault names its field, and nothing is written', async () => {
  const { status, json } = await service.post('/notes', { accountId: 'acme', text: 1 });
  assert.equal(status, 400);
  assert.deepEqual(json.errors.map(({ path }: { path: string }) => path).sort(), ['remindAt', 'text']);
  assert.deepEqual(await service.sql('select from notes where text = $1', ['1']), []);
});

test('a webhook may subscribe to its events, and other types are refused', async () => {
  const hook = (type: string) =>
    service.post('/webhooks', { accountId: 'acme', url: 'http://127.0.0.1:9/hook', types: [type] });
  assert.equal((await hook('note.reminded')).status, 201);
  assert.equal((await hook('note.forgotten')).status, 400);
});

test('the OpenAPI document has its operations, schemas, events and group', async () => {
  const { json } = await service.get('/openapi.json');
  assert.deepEqual(json.paths['/notes'].post.tags, ['Notes']);
  assert.equal(json.components.schemas.Note.properties.text.type, 'string');
  assert.ok(json.components.schemas.Event.properties.type.enum.includes('note.created'));
  assert.equal(json.webhooks['note.reminded'].post.operationId, 'onNoteReminded');
  assert.ok(json.tags.some(({ name }: { name: string }) => name === 'Notes'));
});

test('in live an account sees only its own notes, and only with the scope', async () => {
  const live = await start({ mode: 'live' });
  try {
    const [acme, other] = [await live.makeKey('acme'), await live.makeKey('other')];
    const reader = await live.makeKey('acme', ['charges:read']);
    const stranger = await live.makeKey('acme', ['ledger:read']);
    const as = ({ text }: { text: string }) => ({ authorization: `Bearer ${text}` });
    const made = await live.post('/notes', noteOf('acme'), as(acme));
    assert.equal(made.status, 201, made.text);
    const path = `/notes/${made.json.id}`;
    assert.equal((await live.get(path, as(reader))).status, 200);
    assert.equal((await live.get(path, as(other))).status, 404);
    assert.equal((await live.get(path, as(stranger))).status, 403);
    assert.equal((await live.post('/notes', noteOf('acme'), as(other))).status, 404);
    assert.equal((await live.post('/notes', noteOf('acme'), as(reader))).status, 403);
    const { json } = await live.get('/openapi.json');
    assert.deepEqual(json.paths['/notes'].post.security[0], { bearer: ['charges:write'] });

    const [own, others] = [await logIn(live, 'viewer', 'acme'), await logIn(live, 'viewer', 'other')];
    const pageOf = async ({ cookie }: { readonly cookie: string }) => {
      const answer = await fetch(`${live.url}/dashboard/notes`, { headers: { cookie, accept: 'text/html' } });
      assert.equal(answer.status, 200);
      return answer.text();
    };
    const page = await pageOf(own);
    assert.match(page, /Call the bank/);
    assert.match(page, /href="\/dashboard\/notes" aria-current="page"/, 'it is in the menu');
    assert.doesNotMatch(await pageOf(others), /Call the bank/);
  } finally {
    await live.stop();
  }
});
