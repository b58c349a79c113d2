// Styles and scripts of the pages. The files of `browser/` are served as they are: read once at the start, compressed once on the
// first request. Their address contains their hash, so browsers may cache them for ever.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { fixedAnswer } from '../http/server/fixed-answer.ts';
import { AppError } from '../lib/errors.ts';

/** What a page loads, and the files it consists of: joined, because each request costs a slow phone a round trip. */
const ASSETS = {
  'checkout.css': ['base.css', 'checkout.css'],
  'checkout.js': ['live.js', 'checkout.js'],
  'dashboard.css': ['base.css', 'dashboard.css'],
  'dashboard.js': ['live.js', 'dashboard.js'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type AssetName = keyof typeof ASSETS;

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

export type Assets = {
  /** Where a page finds it, such as `/assets/checkout.k3xQ0c1v.css`. */
  addressOf(name: AssetName): string;
  /** For a page that is opened once: an inline style saves a round trip before the first paint. */
  textOf(name: AssetName): string;
};

/** The assets of a page outside the dashboard. */
export type Site = { readonly assets: Assets };

const HASH_LENGTH = 12;
const BROTLI_BEST = 11;
/** A year, the longest that caches honour. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Adds their routes.
 *
 * @example
 * const assets = assetRoutes(app);
 * html`<link rel="stylesheet" href="${assets.addressOf('checkout.css')}">`
 */
export function assetRoutes(app: FastifyInstance): Assets {
  const files = new Map(
    Object.entries(ASSETS).map(([name, parts]) => {
      const text = parts.map(part => readFileSync(new URL(`./browser/${part}`, import.meta.url), 'utf8')).join('\n');
      const hash = createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH);
      const [stem = '', extension = ''] = name.split('.');
      const type = TYPES[extension] ?? 'application/octet-stream';
      const answerWith = (cacheControl: string) =>
        fixedAnswer(type, async () => text, { cacheControl, brotliQuality: BROTLI_BEST });
      const answers = { kept: answerWith(FOR_EVER), checked: answerWith('no-cache') };
      return [name, { address: `/assets/${stem}.${hash}.${extension}`, text, ...answers }] as const;
    }),
  );
  app.get<{ Params: { file: string } }>(
    '/assets/:file',
    { config: { isUnlimited: true }, schema: { hide: true } },
    async (request, reply) => {
      const [stem = '', , extension = ''] = request.params.file.split('.');
      const file = files.get(`${stem}.${extension}`);
      if (!file) throw new AppError('not_found', 'There is nothing at this address.');
      // While nodes of two versions run side by side, a page of one may ask the other: the answer must not be cached.
      return file.address === request.url ? file.kept(request, reply) : file.checked(request, reply);
    },
  );
  return {
    addressOf: name => files.get(name)?.address ?? `/assets/${name}`,
    textOf: name => files.get(name)?.text ?? '',
  };
}
