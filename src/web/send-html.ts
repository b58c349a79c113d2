// Sends a page: compressed, kept by no cache, found by no search engine, and with a policy that admits our own files only.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compressed, type Encoding, encodingFor } from '../http/server/fixed-answer.ts';
import { type Html, markupOf } from './html.ts';

type PageOptions = {
  readonly status?: number;
  /** Origins that may show the page in a frame, such as `https://shop.example`. */
  readonly framedBy?: readonly string[];
  /** The text of the one `<style>` in the page, such as the colour of an account. */
  readonly style?: string;
  /** The same page is sent again and again, so it is compressed once. */
  readonly isFixed?: true;
};

/**
 * The only sinks for markup are those of the one policy `trilho` in browser/live.js; nothing comes from another host.
 * https://www.w3.org/TR/trusted-types/
 */
function policyOf({ framedBy = [], style }: PageOptions): string {
  const ownStyle = style === undefined ? '' : ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${ownStyle}`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framedBy.length > 0 ? framedBy.join(' ') : "'none'"}`,
    "require-trusted-types-for 'script'",
    'trusted-types trilho',
  ].join('; ');
}

/**
 * Sends a whole page.
 *
 * @example
 * return sendHtml(request, reply, html`<!doctype html>…`);
 */
export async function sendHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Html,
  options: PageOptions = {},
): Promise<FastifyReply> {
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '');
  const bytes = await (options.isFixed ? compressedOnce(page, encoding) : compressed(bytesOf(page), encoding));
  pageHeaders(reply, options);
  reply.header('vary', 'Accept-Encoding, Accept-Language');
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply
    .code(options.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(bytes);
}

const bytesOf = (page: Html) => Buffer.from(markupOf(page));
const known = new WeakMap<Html, Map<Encoding, Promise<Buffer>>>();

function compressedOnce(page: Html, encoding: Encoding): Promise<Buffer> {
  const forms = known.get(page) ?? new Map<Encoding, Promise<Buffer>>();
  known.set(page, forms);
  const form = forms.get(encoding) ?? compressed(bytesOf(page), encoding);
  forms.set(encoding, form);
  return form;
}

/** In addition to the headers of every answer: no-store, no-referrer and nosniff. */
function pageHeaders(reply: FastifyReply, options: PageOptions = {}): void {
  reply.headers({ 'content-security-policy': policyOf(options), 'x-robots-tag': 'noindex, nofollow' });
  // X-Frame-Options cannot list origins; browsers that support frame-ancestors ignore it anyway.
  if (options.framedBy && options.framedBy.length > 0) reply.removeHeader('x-frame-options');
}
