// The simulated PSP answers any request with a refusal and never with a fault of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Caller, cobBody, cobvBody, KEY, newTxid, startCaller } from './caller.ts';

const HOOK = `/webhook/${encodeURIComponent(KEY)}`;

/** A good body with one part, at any depth, replaced by anything. */
function broken(body: object): fc.Arbitrary<unknown> {
  const paths: string[][] = [];
  const walk = (value: unknown, path: string[]): void => {
    paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, part] of Object.entries(value)) walk(part, [...path, name]);
  };
  walk(body, []);
  return fc.tuple(fc.constantFrom(...paths), fc.jsonValue()).map(([path, value]) => {
    if (path.length === 0) return value;
    const copy = structuredClone(body) as Record<string, unknown>;
    let place = copy;
    for (const name of path.slice(0, -1)) place = place[name] as Record<string, unknown>;
    place[path.at(-1)!] = value;
    return copy;
  });
}

const COBV = cobvBody({
  valor: {
    original: '100.00',
    multa: { modalidade: 2, valorPerc: '2.00' },
    desconto: { modalidade: 1, descontoDataFixa: [{ data: '2030-12-01', valorPerc: '5.00' }] },
  },
  calendario: { dataDeVencimento: '2049-12-10', validadeAposVencimento: 30 },
});

const bodies = fc.oneof(
  broken(cobBody({ loc: { id: 1 } })).map(body => ['PUT', () => `/cob/${newTxid()}`, body] as const),
  broken(COBV).map(body => ['PUT', () => `/cobv/${newTxid()}`, body] as const),
  broken({ valor: { original: '1.00' } }).map(body => ['PATCH', () => '/cob/a', body] as const),
  broken({ tipoCob: 'cob' }).map(body => ['POST', () => '/loc', body] as const),
  broken({ webhookUrl: 'https://example.com' }).map(body => ['PUT', () => HOOK, body] as const),
);

async function sound({ call }: Caller, method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await call(method, path, body);
  assert.ok(status < 500, `${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`);
}

test('a broken body never makes the PSP fail', async t => {
  const caller = await startCaller(t);
  await fc.assert(
    fc.asyncProperty(bodies, ([method, path, body]) => sound(caller, method, path(), body)),
    { numRuns: 200 },
  );
  const { endToEndId } = await caller.psp.pay({ chave: KEY, valor: '5.00' });
  const refund = `/pix/${endToEndId}/devolucao/d1`;
  await fc.assert(
    fc.asyncProperty(broken({ valor: '9.00', descricao: 'x' }), body => sound(caller, 'PUT', refund, body)),
    { numRuns: 60 },
  );
});

test('no path or query makes the PSP fail', async t => {
  const caller = await startCaller(t);
  const place = fc.constantFrom(
    '/cob/',
    '/cobv/',
    '/loc/',
    '/pix/',
    '/webhook/',
    '/cob?',
    '/pix?inicio=',
    '/loc?',
    '/',
  );
  const word = fc.string({ unit: 'binary', maxLength: 40 }).map(text => Buffer.from(text).toString('latin1'));
  const escaped = word.map(text =>
    text.replace(/[^\w%&=.-]/g, letter => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`),
  );
  await fc.assert(
    fc.asyncProperty(place, escaped, (path, text) => sound(caller, 'GET', path + text)),
    { numRuns: 150 },
  );
});
