// Styles and scripts: cached by a browser as long as their bytes are the same, and never the wrong ones.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

type Raw = { readonly headers: Record<string, unknown>; readonly body: Buffer };

/** Without the decompression of `fetch`. */
const raw = (path: string, encoding: string) =>
  new Promise<Raw>((resolve, reject) => {
    get(service.url + path, { headers: { 'accept-encoding': encoding } }, async response => {
      resolve({ headers: response.headers, body: Buffer.concat(await response.toArray()) });
    }).on('error', reject);
  });

async function addressOf(name: string): Promise<string> {
  const text = await (await fetch(`${service.url}/assets/${name.replace('.', '.any.')}`)).text();
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  return `/assets/${name.replace('.', `.${hash}.`)}`;
}

test('at the address with their hash they are cached forever, compressed as the browser accepts it', async () => {
  const address = await addressOf('checkout.css');
  const plain = await raw(address, 'identity');
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers['content-type'], 'text/css; charset=utf-8');
  const brotli = await raw(address, 'gzip, deflate, br');
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.deepEqual(brotliDecompressSync(brotli.body), plain.body);
  assert.deepEqual(gunzipSync((await raw(address, 'gzip')).body), plain.body);
});

test('at the address of another version they are served, and not cached', async () => {
  const { headers } = await raw('/assets/checkout.0123456789ab.js', 'br');
  assert.equal(headers['cache-control'], 'no-cache');
});

test('other files are not found', async () => {
  for (const path of ['/assets/secrets.a.css', '/assets/..%2fapp.ts', '/assets/checkout', '/assets/base.a.css']) {
    assert.equal((await service.get(path)).status, 404, path);
  }
});
