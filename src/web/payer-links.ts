// Opens the pages that payers reach by a link. The token in it is the only credential, so wrong ones are counted by address and right
// ones by link. Every refusal, even before a route has run, is a page that shows nothing about what others are charged.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Linked, Links } from '../charges/links/links.ts';
import { networkOf } from '../http/server/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, isOutage } from '../lib/errors.ts';
import { tokenBuckets } from '../lib/token-bucket.ts';
import type { Assets } from './assets.ts';
import { type PlainPage, plainPages } from './checkout/plain-pages.ts';
import { languageOf } from './language.ts';
import { sendHtml } from './send-html.ts';

export type PayerLinkDeps = {
  readonly links: Links;
  readonly machineClock: Clock;
  readonly assets: Assets;
  readonly beforeWork?: (() => Promise<void>) | undefined;
};

export type TokenRoute = { Params: { token: string } };
export const PAYER_PAGE = { config: { hasOwnLimit: true }, schema: { hide: true } } as const;

/** Unknown links per second from one address; a payer with a mistyped link needs a few. */
const MAX_WRONG_A_SECOND = 10;
/** Requests per second for one link, from all addresses. */
const MAX_A_SECOND = 50;
const STATUS = { badLink: 404, tooMany: 429, unavailable: 503 } as const satisfies Record<PlainPage, number>;

/** `app` is a scope of its own: its errors are shown as pages from then on. */
export function payerLinks(app: FastifyInstance, { links, machineClock, assets, beforeWork }: PayerLinkDeps) {
  const wrong = tokenBuckets(MAX_WRONG_A_SECOND, machineClock);
  const right = tokenBuckets(MAX_A_SECOND, machineClock);
  const plain = plainPages(assets);

  const say = (page: PlainPage, request: FastifyRequest, reply: FastifyReply) => {
    if (page !== 'badLink') reply.header('retry-after', '2');
    return sendHtml(request, reply, plain(page, languageOf(request)), { status: STATUS[page], isFixed: true });
  };

  const refused = ({ ip }: FastifyRequest): PlainPage => (wrong.take(networkOf(ip)).isAllowed ? 'badLink' : 'tooMany');

  app.setErrorHandler((error, request, reply) => {
    if (isOutage(error)) {
      app.reportOutage(request, error);
      return say('unavailable', request, reply);
    }
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'rate_limited') return say('tooMany', request, reply);
    // An address that cannot be decoded, or a picture that the charge does not have.
    return say(refused(request), request, reply);
  });

  return {
    say,
    /** The page for a link that opens nothing. */
    refuse: (request: FastifyRequest, reply: FastifyReply) => say(refused(request), request, reply),
    /** What a link opens, or the page to say instead. A link that was withdrawn looks like one that never was. */
    openBy: async <T extends Linked>(
      request: FastifyRequest<TokenRoute>,
      find: (id: string) => Promise<T | undefined>,
    ): Promise<T | PlainPage> => {
      const { token } = request.params;
      const named = links.read(token);
      if (!named) return refused(request);
      if (!right.take(token).isAllowed) return 'tooMany';
      await beforeWork?.();
      const found = await find(named.id);
      return found && found.linkEpoch === named.linkEpoch ? found : refused(request);
    },
  };
}
