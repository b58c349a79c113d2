// The document that describes the service, and the pages that show it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { EVENT_TYPES } from '../../src/api/events.ts';
import { type Content, type Judge, type Media, type Operation, readOpenApi } from '../harness/openapi.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
let judge: Judge;
before(async () => {
  service = await startService({ demo: true });
  judge = await readOpenApi(service);
});
after(() => service.stop());

test('/openapi.json is a valid OpenAPI 3.1 document', async () => {
  assert.match(judge.document.openapi, /^3\.1\./);
  const validator = new Validator();
  const result = await validator.validate(structuredClone(judge.document));
  assert.equal(result.valid, true, JSON.stringify(result.errors));
  assert.equal(validator.version, '3.1');
});

test('both given operations are documented, each with its own name', () => {
  const all = operations();
  for (const name of ['get /crypto/transactions', 'post /charges']) assert(all.has(name), name);
  const ids = [...all.values()].map(({ operation }) => (operation as { operationId?: string }).operationId);
  assert.equal(new Set(ids).size, all.size);
  assert(!ids.includes(undefined));
});

const FILE_UPLOADS = ['post /statements', 'post /boletos/returns', 'post /disputes/{id}/evidence'];

test('every request body has an example that matches its schema', () => {
  let seen = 0;
  for (const [name, { operation, place }] of operations()) {
    if (!operation.requestBody) continue;
    assert.equal(operation.requestBody.required, true, name);
    // A file is not JSON; its media types are those of the statements.
    if (FILE_UPLOADS.includes(name)) continue;
    seen += checkExamples(operation.requestBody.content, [...place, 'requestBody'], 'application/json');
  }
  assert(seen >= 1);
});

test('every success has an example that matches its schema', () => {
  let seen = 0;
  for (const [name, { operation, place }] of operations()) {
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
    assert.equal(successes.length, 1, name);
    for (const [status, { content }] of successes) {
      const [type = ''] = Object.keys(content ?? {});
      seen += checkExamples(content, [...place, 'responses', status], type);
    }
  }
  assert(seen >= 3);
});

test('every problem has an example that matches the schema and has the documented status', () => {
  const codes = new Set<string>();
  for (const [name, { operation, place }] of operations()) {
    const problems = Object.entries(operation.responses).filter(([status]) => !status.startsWith('2'));
    assert(problems.length >= 3, name);
    for (const [status, { content }] of problems) {
      checkExamples(content, [...place, 'responses', status], 'application/problem+json');
      for (const value of examplesOf(content!['application/problem+json']!)) {
        const { code, status: said } = value as { code: string; status: number };
        assert.equal(said, Number(status), `${name} ${code}`);
        codes.add(code);
      }
    }
  }
  for (const code of ['invalid_request', 'external_id_conflict', 'idempotency_key_reused', 'charge_refused']) {
    assert(codes.has(code), code);
  }
});

test('a body of another type, too large, null or of another form is refused by every operation as documented', async () => {
  const id = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
  for (const [name, { operation, place }] of operations()) {
    const [, path = '', method = ''] = place;
    // A file has other types and its own limit: test/charges/statement-upload.test.ts, test/charges/dispute-evidence.test.ts.
    if (method === 'get' || FILE_UPLOADS.includes(name)) continue;
    const at = path.replaceAll(/\{\w+\}/g, id) + (path.endsWith('/replay') ? '?from=2026-01-01T00:00Z' : '');
    // Each answer is validated against the document.
    const send = async (body?: string, type = 'application/json') =>
      (
        await service.send(at, {
          method: method.toUpperCase(),
          headers: { 'content-type': type },
          ...(body && { body }),
        })
      ).status;
    assert.equal(await send('{}', 'text/plain'), 415, name);
    assert.equal(await send(`"${'x'.repeat(70_000)}"`), 413, name);
    for (const body of ['null', '[]', '"x"', '{ "unknown": 1 }'])
      assert.equal(await send(body), 400, `${name} ${body}`);
    // A documented body is required; without one, no body or an empty object is accepted.
    if (operation.requestBody) assert.equal(await send(), 400, name);
    else for (const body of [undefined, '{}']) assert.equal(await send(body), 404, `${name} ${body}`);
  }
});

/** The keys of receipts are public. */
const PUBLIC_PATHS = ['/receipts/keys'];

test('authentication is documented where it is required: in live on every operation, in a sandbox on no operation', async t => {
  const live = await startService({ mode: 'live' });
  t.after(() => live.stop());
  const { document } = await readOpenApi(live);
  assert.deepEqual(Object.keys(securityOf(document)), ['bearer', 'apiKey']);
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const isPublic = PUBLIC_PATHS.includes(path);
      for (const status of ['401', '403']) assert.equal(!responses[status], isPublic, `${method} ${path} ${status}`);
    }
  }
  assert.deepEqual(securityOf(judge.document), {});
  for (const [name, { operation }] of operations()) {
    for (const status of ['401', '403']) assert.equal(operation.responses[status], undefined, `${name} ${status}`);
  }
});

function securityOf({ components }: { readonly components: object }): object {
  return (components as { securitySchemes?: object }).securitySchemes ?? {};
}

test('every type of event has its own schema under webhooks, with an example that matches', () => {
  const { webhooks } = judge.document;
  assert.deepEqual(Object.keys(webhooks).sort(), [...EVENT_TYPES, 'webhook.ping'].sort());
  for (const [type, { post }] of Object.entries(webhooks)) {
    assert.equal(
      checkExamples(post?.requestBody?.content, ['webhooks', type, 'post', 'requestBody'], 'application/json'),
      1,
    );
    const [example] = examplesOf(post!.requestBody!.content['application/json']!) as [{ type: string }];
    assert.equal(example.type, type);
    const place = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'];
    assert.notEqual(judge.faultOf(place, { ...example, type: 'charge.other' }), undefined, 'one type alone');
  }
});

test('the example of an order can be sent to a new sandbox, and sent again', async () => {
  const sandbox = await startService({ demo: true });
  try {
    const { json } = await sandbox.get('/openapi.json');
    const [example] = json.components.schemas.NewOrder.examples;
    const sent = await sandbox.post('/crypto/transactions', example);
    assert.equal(sent.status, 201, sent.text);
    assert.equal((await sandbox.post('/crypto/transactions', example)).text, sent.text);
  } finally {
    await sandbox.stop();
  }
});

test('the examples of a charge and of its answer are about the same charge', async () => {
  const body = judge.document.components.schemas['NewCharge']!.examples![0] as Record<string, unknown>;
  const made = await service.post('/charges', body);
  assert.equal(made.status, 201, made.text);
  const example = judge.document.paths['/charges']!['post']!.responses['201']!.content!['application/json']!.example;
  assert.deepEqual(shapeOf(made.json), shapeOf(example));
});

test('the documented query parameters are exactly those accepted', async () => {
  const { parameters = [] } = judge.document.paths['/crypto/transactions']!['get']!;
  const good: Record<string, string> = {
    symbol: 'usdt',
    status: 'fulfilled',
    accountId: 'acme',
    externalId: 'order-2071',
    from: '2024-02-29T10:30Z',
    to: '2024-02-29T10:30Z',
    page: '1',
    pageSize: '20',
  };
  const names = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name);
  assert.deepEqual(names.toSorted(), Object.keys(good).toSorted());
  for (const [name, value] of Object.entries(good)) {
    assert.equal((await service.get(`/crypto/transactions?${name}=${value}`)).status, 200, name);
  }
  for (const name of ['limit', 'offset', 'Symbol', 'page_size', 'sort', 'createdAt', 'network', '__proto__']) {
    const refused = await service.get(`/crypto/transactions?${name}=1`);
    assert.equal(refused.status, 400, name);
    assert.deepEqual(
      refused.json.errors.map(({ path, code }: { path: string; code: string }) => [path, code]),
      [[name, 'unknown']],
    );
  }
});

test('every documented value of a parameter is accepted, and the bounds of numbers are the real ones', async () => {
  const { parameters = [] } = judge.document.paths['/crypto/transactions']!['get']!;
  const statusOf = async (name: string, value: unknown) =>
    (await service.get(`/crypto/transactions?${name}=${value}`)).status;
  for (const { name, schema } of parameters) {
    const { enum: values = [], minimum, maximum } = schema as { enum?: string[]; minimum?: number; maximum?: number };
    for (const word of values) {
      assert.equal(await statusOf(name, word), 200, `${name}=${word}`);
      assert.equal(await statusOf(name, word.toUpperCase()), 400, `${name}=${word.toUpperCase()}`);
    }
    for (const bound of [minimum, maximum].filter(bound => bound !== undefined)) {
      assert.equal(await statusOf(name, bound), 200, `${name}=${bound}`);
    }
    if (minimum !== undefined) assert.equal(await statusOf(name, minimum - 1), 400, name);
    if (maximum !== undefined) assert.equal(await statusOf(name, BigInt(maximum) + 1n), 400, name);
  }
});

test('an undocumented answer is found: by its status, its type, its body, its path', () => {
  const answer = { method: 'GET', path: '/webhooks?page=2', status: 200, contentType: 'application/json', text: '{}' };
  const page = { webhooks: [], total: 0, totalPages: 0, currentPage: 2, hasMore: false };
  const faultOf = (changes: object) => judge.faultOfAnswer({ ...answer, json: page, ...changes });
  assert.equal(faultOf({}), undefined);
  assert.match(faultOf({ status: 418 })!, /no 418 for \/webhooks get/);
  assert.match(faultOf({ contentType: 'text/plain' })!, /no text\/plain/);
  assert.match(faultOf({ json: { ...page, hasMore: undefined, next: 3 } })!, /hasMore.*additional/);
  assert.match(faultOf({ json: { ...page, total: '0' } })!, /total must be integer/);
  assert.match(faultOf({ path: '/nowhere' })!, /no such operation/);
  assert.match(faultOf({ path: '/webhooks/a', method: 'PUT' })!, /no such operation/);
  assert.equal(faultOf({ path: '/livez' }), undefined);
});

for (const page of ['/', '/docs/', '/problems', '/problems/invalid_request']) {
  test(`${page} loads nothing from another host, and its policy forbids it`, async () => {
    const html = await service.get(page);
    assert.equal(html.status, 200);
    assert.match(html.headers.get('content-type') ?? '', /^text\/html/);
    checkPolicy(html.headers.get('content-security-policy'));
    for (const { tag, address } of referencesOf(html.text)) {
      const url = new URL(address, service.url + page);
      assert.equal(url.origin, service.url, `${tag} of ${page}: ${address}`);
      const loaded = await fetch(url);
      assert(loaded.ok, `${tag} of ${page}: ${address} answers ${loaded.status}`);
      assert.equal(loaded.redirected && new URL(loaded.url).origin !== service.url, false);
      const text = await loaded.text();
      if (tag === 'link') assert.deepEqual(foreignIn(text), [], address);
      if (tag === 'script') assert.match(loaded.headers.get('content-type') ?? '', /javascript/);
    }
    for (const [, css = ''] of html.text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)) {
      assert.deepEqual(foreignIn(css), []);
    }
  });
}

test('/docs/ runs its own script, which its policy allows by the nonce, and shows /openapi.json', async () => {
  const { text, headers } = await service.get('/docs/');
  const policy = headers.get('content-security-policy') ?? '';
  const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
  assert(scripts.length >= 1);
  for (const attributes of scripts) {
    const nonce = /nonce="([^"]+)"/.exec(attributes)?.[1];
    assert(nonce !== undefined && policy.includes(`'nonce-${nonce}'`), attributes);
  }
  assert.match(text, /"url": "\/openapi\.json"/);
});

function operations(): Map<string, { operation: Operation; place: string[] }> {
  const found = new Map<string, { operation: Operation; place: string[] }>();
  for (const [path, methods] of Object.entries(judge.document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      found.set(`${method} ${path}`, { operation, place: ['paths', path, method] });
    }
  }
  return found;
}

/** Checks that the content has only this type and has matching examples; returns how many. */
function checkExamples(content: Content | undefined, place: readonly string[], type: string): number {
  assert.deepEqual(Object.keys(content ?? {}), [type], place.join(' '));
  const examples = examplesOf(content![type]!);
  assert(examples.length >= 1, `${place.join(' ')} has no example`);
  for (const value of examples) {
    assert.equal(judge.faultOf([...place, 'content', type, 'schema'], value), undefined, place.join(' '));
  }
  return examples.length;
}

/** The examples beside the schema, or else those of the named schema. */
function examplesOf({ schema, example, examples }: Media): unknown[] {
  if (example !== undefined) return [example];
  if (examples) return Object.values(examples).map(({ value }) => value);
  const name = (schema as { $ref?: string }).$ref?.split('/').at(-1);
  return [...(judge.document.components.schemas[name ?? '']?.examples ?? [])];
}

function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shapeOf(item)]));
}

/** Every URL that an element of the page makes a browser fetch. An anchor is only followed by a person. */
function referencesOf(html: string): { tag: string; address: string }[] {
  const elements = html.matchAll(/<(script|link|img|iframe|source|video|audio|embed|object|form)\b([^>]*)>/gi);
  return [...elements].flatMap(([, tag = '', attributes = '']) =>
    [...attributes.matchAll(/\b(?:src|href|data|action|srcset)\s*=\s*["']?([^"'\s>]+)/gi)].map(([, address = '']) => ({
      tag: tag.toLowerCase(),
      address,
    })),
  );
}

function foreignIn(css: string): string[] {
  return [...css.matchAll(/@import[^;]+|url\(\s*["']?(?:https?:)?\/\/[^)]*\)/gi)].map(([found]) => found);
}

/** Nothing by default, and each exception names only this host, data in place, or a nonce or hash of what is in the page. */
function checkPolicy(policy: string | null): void {
  const directives = new Map(
    (policy ?? '').split(';').map(directive => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources] as const;
    }),
  );
  assert.deepEqual(directives.get('default-src'), ["'none'"]);
  assert.deepEqual(directives.get('frame-ancestors'), ["'none'"]);
  assert.deepEqual(directives.get('base-uri'), ["'none'"]);
  for (const [name, sources] of directives) {
    for (const source of sources) {
      assert.match(source, /^('none'|'self'|data:|blob:|'unsafe-inline'|'nonce-[\w+/=]+'|'sha256-[\w+/=]+')$/, name);
      if (name === 'script-src') assert.doesNotMatch(source, /unsafe|data:|blob:/);
    }
  }
}
