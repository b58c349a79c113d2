// An answer that is the same for every caller: made and compressed once, on the first request, and not sent to a caller that already has
// it.
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The best levels take many times as long and save a few percent. */
const BROTLI_QUALITY = 5;

/** In order of preference. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof ENCODINGS)[number];

type Form = { readonly bytes: Buffer; readonly etag: string };

const compress: Record<Encoding, (bytes: Buffer, brotliQuality: number) => Promise<Buffer>> = {
  br: (bytes, quality) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: quality,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: bytes => promisify(gzip)(bytes),
  identity: async bytes => bytes,
};

/** Bytes in the encoding that a caller prefers. */
export function compressed(bytes: Buffer, encoding: Encoding, brotliQuality = BROTLI_QUALITY): Promise<Buffer> {
  return compress[encoding](bytes, brotliQuality);
}

type FixedOptions = {
  /** When absent, it may be cached and is revalidated with its ETag, which changes with the version of the service. */
  readonly cacheControl?: string;
  readonly brotliQuality?: number;
};

/**
 * A handler that sends what `make` returns, in the encoding that the caller prefers.
 *
 * @example
 * app.get('/openapi.json', options, fixedAnswer('application/json', async () => openApiText(app)));
 */
export function fixedAnswer(
  contentType: string,
  make: () => Promise<string | Buffer>,
  { cacheControl = 'no-cache', brotliQuality }: FixedOptions = {},
) {
  const original = once(async () => Buffer.from(await make()));
  const formIn = (encoding: Encoding) =>
    once(async (): Promise<Form> => {
      const bytes = await compressed(await original(), encoding, brotliQuality);
      return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
    });
  const forms = { br: formIn('br'), gzip: formIn('gzip'), identity: formIn('identity') };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const encoding = encodingFor(request.headers['accept-encoding'] ?? '');
    const { bytes, etag } = await forms[encoding]();
    reply.headers({ etag, vary: 'Accept-Encoding', 'cache-control': cacheControl });
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    return reply.type(contentType).send(bytes);
  };
}

/** All callers share the first result; a failed one is retried. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** The best of our encodings that a caller accepts. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3 */
export function encodingFor(accepted: string): Encoding {
  const weights = new Map(
    accepted.split(',').map((part): [string, number] => {
      const [name = '', ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase());
      const weight = parameters.find(parameter => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice('q='.length))];
    }),
  );
  const takes = (encoding: Encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0;
  return ENCODINGS.find(takes) ?? 'identity';
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map(tag => tag.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
