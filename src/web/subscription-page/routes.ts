// /my/{token}: the payer's page of a subscription. The token is the only credential. GET changes nothing: chat apps fetch links for a
// preview.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findSettings } from '../../accounts/store-settings.ts';
import { requireCustomer } from '../../billing/customers/require.ts';
import type { SubscriptionFollowDeps } from '../../billing/subscriptions/follow.ts';
import { findSubscription, findUnpaidCycles } from '../../billing/subscriptions/store.ts';
import { readCyclePage } from '../../billing/subscriptions/store-list.ts';
import type { Cycle, Subscription } from '../../billing/subscriptions/subscription.ts';
import { cancelSubscription, resumeSubscription } from '../../billing/subscriptions/verbs.ts';
import { nextCycleView } from '../../billing/subscriptions/view.ts';
import { findCharges } from '../../charges/store/charges.ts';
import type { Mode } from '../../lib/mode.ts';
import { countPages } from '../../lib/paging.ts';
import { nextOf } from '../checkout/facts.ts';
import { readVersions } from '../checkout/store.ts';
import { CHECKOUT_TEXTS } from '../checkout/texts.ts';
import { sellerOf } from '../checkout/view-model.ts';
import { html } from '../html.ts';
import { languageOf } from '../language.ts';
import { layout } from '../layout.ts';
import { PAYER_PAGE, type PayerLinkDeps, payerLinks, type TokenRoute } from '../payer-links.ts';
import { sendHtml } from '../send-html.ts';
import type { SubscriptionPage } from './view.ts';

export type SubscriptionPageDeps = PayerLinkDeps & SubscriptionFollowDeps & { readonly mode: Mode };

const HISTORY_SIZE = 12;
const MAX_PAGE = 1_000;

type Route = TokenRoute & { Querystring: { page?: string } };

export function subscriptionPageRoutes(app: FastifyInstance, deps: SubscriptionPageDeps): void {
  // A scope of its own: every refusal here, even before a route has run, is shown to the payer as a page.
  app.register(async scope => pageRoutes(scope, deps));
}

function pageRoutes(app: FastifyInstance, deps: SubscriptionPageDeps): void {
  const { say, refuse, openBy } = payerLinks(app, deps);
  type Handler = (subscription: Subscription, request: FastifyRequest<Route>, reply: FastifyReply) => Promise<unknown>;
  const opening = (handle: Handler) => async (request: FastifyRequest<Route>, reply: FastifyReply) => {
    const opened = await openBy(request, id => findSubscription(deps.db, id));
    return typeof opened === 'string' ? say(opened, request, reply) : handle(opened, request, reply);
  };

  app.get<Route>(
    '/my/:token',
    PAYER_PAGE,
    opening(async (subscription, request, reply) => {
      const { page, live } = await readPage(deps, subscription, request);
      const [{ subscriptionBody, subscriptionTitleOf }, { styleOf }] = await Promise.all([loadPage(), loadStyle()]);
      const { settings, language } = page.frame;
      const style = deps.assets.textOf('checkout.css') + styleOf(settings);
      const title = subscriptionTitleOf(page);
      const whole = layout(deps.assets, {
        ...{ language, title, script: 'checkout.js', ownStyle: style, body: subscriptionBody(page) },
        ...(live && { live }),
        head: html`<meta property="og:title" content="${title}">
<meta property="og:type" content="website">`,
      });
      return sendHtml(request, reply, whole, { framedBy: settings.frameOrigins, style });
    }),
  );

  app.get<Route>(
    '/my/:token/logo',
    PAYER_PAGE,
    opening(async ({ accountId }, request, reply) => {
      const { logo } = await findSettings(deps.db, accountId);
      if (!logo) return say('badLink', request, reply);
      return reply.header('cache-control', 'private, max-age=300').type(logo.type).send(logo.bytes);
    }),
  );

  // Forms without fields. A repeat changes nothing, and one that is no longer possible shows the page as it is.
  app.register(async inner => {
    inner.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => undefined);
    const form = (verb: string, change: (subscription: Subscription) => Promise<unknown>) =>
      inner.post<Route>(
        `/my/:token/${verb}`,
        PAYER_PAGE,
        opening(async (subscription, request, reply) => {
          if (subscription.endedAt === undefined) await change(subscription);
          return reply.redirect(`/my/${deps.links.tokenOf(subscription)}?lang=${languageOf(request)}`, 303);
        }),
      );
    form('stop', ({ id, accountId, status }) => {
      const at = status === 'paused' ? 'now' : 'period_end';
      return cancelSubscription(deps, id, { at, forgives: false, reason: 'by_payer' }, accountId);
    });
    form('keep', async ({ id, accountId, cancelOn }) => {
      if (cancelOn !== undefined) await resumeSubscription(deps, id, accountId);
    });
  });

  for (const path of ['/my', '/my/*']) {
    app.get(path, PAYER_PAGE, async (request, reply) => refuse(request, reply));
  }
}

/** Loaded with the first page: the service starts faster without the drawing libraries. */
const loadPage = () => import('./view.ts');
const loadStyle = () => import('../checkout/view.ts');

async function readPage(deps: SubscriptionPageDeps, subscription: Subscription, request: FastifyRequest<Route>) {
  const { db, links, clock, mode } = deps;
  const asked = Number(request.query.page);
  const query = {
    page: Number.isInteger(asked) && asked >= 1 && asked <= MAX_PAGE ? asked : 1,
    pageSize: HISTORY_SIZE,
  };
  const [settings, customer, unpaid, { cycles, total }] = await Promise.all([
    findSettings(db, subscription.accountId),
    requireCustomer(db, subscription.customerId, subscription.accountId),
    findUnpaidCycles(db, subscription.id),
    readCyclePage(db, subscription.id, query),
  ]);
  const due = unpaid.filter(({ status }) => status !== 'waiting');
  const chargeIds = [...due, ...cycles].flatMap(({ chargeId }: Cycle) => chargeId ?? []);
  const found = await findCharges(db, [...new Set(chargeIds)]);
  const charges = new Map(found.map(charge => [charge.id, charge]));
  const now = clock.now();
  const dueCharges = due.flatMap(({ chargeId = '' }) => charges.get(chargeId) ?? []);
  const payable = nextOf(dueCharges, now);
  // The page changes with the first charge that is due.
  const shown = payable ?? dueCharges[0];
  const version = shown && (await readVersions(db, [shown.id])).get(shown.id);
  const language = languageOf(request);
  const isSandbox = mode === 'sandbox';
  const page: SubscriptionPage = {
    ...{ subscription, customer, due, charges, links, now },
    next: nextCycleView(subscription, unpaid),
    history: { cycles, page: query.page, totalPages: countPages(total, query).totalPages },
    frame: {
      ...{ texts: CHECKOUT_TEXTS[language], language, settings, isSandbox, canPay: payable !== undefined },
      seller: sellerOf({ settings, charge: shown, isSandbox }),
      address: `/my/${links.tokenOf(subscription)}`,
    },
  };
  return { page, ...(shown && { live: { stream: `/pay/${links.tokenOf(shown)}/stream`, version: version ?? '' } }) };
}
