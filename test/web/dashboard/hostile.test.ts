// Requests that no browser sends: ids, filters and fields with characters that cannot be stored, and forms that are expensive to read.
// Each is refused with a page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { type LoggedIn, logIn, SAME_ORIGIN } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
let owner: LoggedIn;
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails, env: { TRILHO_RATE_LIMIT: '0' } });
  owner = await logIn(service, 'owner');
});
after(() => service.stop());

type Sent = { readonly body?: string | URLSearchParams; readonly type?: string; readonly isKnown?: boolean };

async function ask(path: string, { body, type, isKnown = true }: Sent = {}) {
  const headers = {
    ...SAME_ORIGIN,
    accept: 'text/html',
    ...(isKnown && { cookie: owner.cookie }),
    ...(type !== undefined && { 'content-type': type }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await fetch(service.url + path, {
    method,
    headers,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  });
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() };
}

/** The answer of a stream never ends. */
const paths = () => service.routes.filter(({ url }) => url.startsWith('/dashboard/') && url !== '/dashboard/stream');

const IDS = ['%00', '%EF%BF%BF', "'", '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17'];
const FILTERS = [
  'from=x',
  'page=-1&pageSize=x&before=x',
  'accountId=%00&q=%00&network=%00',
  'from=2026-11-16&from=2026-11-17',
];

test('no id and no filter makes a page fail', async () => {
  const failed: string[] = [];
  for (const { method, url } of paths()) {
    if (method !== 'GET') continue;
    const tries = [
      ...(url.includes(':') ? IDS : []).map(id => url.replaceAll(/:\w+/g, id)),
      ...FILTERS.map(filter => `${url.replaceAll(/:\w+/g, IDS.at(-1)!)}?${filter}`),
    ];
    for (const path of tries) {
      const { status, type } = await ask(path);
      const isPage = status === 303 || type.startsWith('text/html') || (status === 200 && type.startsWith('text/csv'));
      if (status >= 500 || !isPage) failed.push(`${path}: ${status} ${type}`);
    }
  }
  assert.deepEqual(failed, []);
});

test('no field makes a form fail', async () => {
  const failed: string[] = [];
  const names = [
    'id',
    'code',
    'name',
    'accountId',
    'amount',
    'note',
    'reference',
    'scopes',
    'url',
    'file',
    'displayName',
  ];
  for (const { method, url } of paths()) {
    if (method !== 'POST' || /logout|login|revoke|end/.test(url)) continue;
    for (const value of ['\0', '\u{10ffff}', '-1']) {
      const body = new URLSearchParams(names.map((name): [string, string] => [name, value]));
      const path = url.replaceAll(/:\w+/g, IDS.at(-1)!);
      const { status, type } = await ask(path, { body });
      if (status >= 500 || (status !== 303 && !/html|json/.test(type))) failed.push(`${path}: ${status} ${type}`);
    }
  }
  assert.deepEqual(failed, []);
});

const MULTIPART = 'multipart/form-data; boundary=part-of-a-form';
const partOf = (name: string, value: string) =>
  `--part-of-a-form\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const END = '--part-of-a-form--\r\n';

test('a multipart form is accepted only if a file is expected', async () => {
  const body = `${partOf('code', 'x'.repeat(1_000_000))}${END}`;
  for (const [path, isKnown] of [
    ['/dashboard/recover', false],
    ['/dashboard/enter/x', false],
    ['/dashboard/login', false],
    ['/dashboard/charges/new', true],
  ] as const) {
    const { status, type, text } = await ask(path, { body, type: MULTIPART, isKnown });
    assert.equal(status, 415, `${path}: ${text}`);
    assert.match(type, /^text\/html/);
  }
  const unknown = await ask('/dashboard/statements/upload', { body, type: MULTIPART, isKnown: false });
  assert.equal(unknown.status, 303, 'to the login');
});

test("a passkey's answer with a NUL is refused", async () => {
  const response = { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' };
  const id = '\u0000';
  const body = JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  const { status, text } = await ask('/dashboard/login', { body, type: 'application/json', isKnown: false });
  assert.equal(status, 400, text);
});

test('a form of many parts, or of many lines before a part, is refused unread', async () => {
  const many = partOf('a', 'x').repeat(1_000) + END;
  const lines = `--part-of-a-form\r\n${'a: b\r\n'.repeat(100_000)}\r\nx\r\n${END}`;
  for (const body of [many, lines, 'no parts', '']) {
    const { status, text } = await ask('/dashboard/statements/upload', { body, type: MULTIPART });
    assert.equal(status, 400, text);
    assert.match(text, /The form cannot be read/);
  }
  const noBoundary = await ask('/dashboard/statements/upload', { body: many, type: 'multipart/form-data' });
  assert.equal(noBoundary.status, 400);
  const few = `${partOf('debitsHaveMinus', 'true')}${END}`;
  assert.doesNotMatch(
    (await ask('/dashboard/statements/upload', { body: few, type: MULTIPART })).text,
    /cannot be read/,
  );
});
