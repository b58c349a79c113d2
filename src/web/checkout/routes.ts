// /pay/{token}: the checkout of a charge, its pictures, its PDF and the stream that reports changes. The token is the only
// credential. GET changes nothing: chat apps fetch links for a preview.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findSettings } from '../../accounts/store-settings.ts';
import type { InstalmentPlan } from '../../billing/instalments/instalment-plan.ts';
import { readPayableParts } from '../../billing/instalments/show.ts';
import { findInstalmentPlan } from '../../billing/instalments/store.ts';
import type { Chains } from '../../chains/chain.ts';
import { type Charge, isOf } from '../../charges/charge.ts';
import { makeRemainder, type RemainderDeps } from '../../charges/receive/remainder.ts';
import { findCharge } from '../../charges/store/charges.ts';
import type { Observers } from '../../http/server/observers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import type { Mode } from '../../lib/mode.ts';
import type { Order } from '../../orders/order.ts';
import { findOrder } from '../../orders/store.ts';
import { findPayoutOfOwner } from '../../payouts/store/payouts.ts';
import { findRail, type Rails } from '../../rails/rails.ts';
import type { Database } from '../../storage/database.ts';
import { boletoFile, pixPng, pixSvg } from '../charge-pictures.ts';
import { html } from '../html.ts';
import { slipsFile } from '../instalment-slips.ts';
import { languageOf } from '../language.ts';
import { layout } from '../layout.ts';
import { PAYER_PAGE, type PayerLinkDeps, payerLinks, type TokenRoute } from '../payer-links.ts';
import { sendHtml } from '../send-html.ts';
import { factsOf, nextOf } from './facts.ts';
import { withMaskedPayer } from './masks.ts';
import { readVersions } from './store.ts';
import { checkoutStreams } from './stream.ts';
import { type Bought, type View, viewOf } from './view-model.ts';

export type CheckoutDeps = RemainderDeps &
  PayerLinkDeps & {
    readonly db: Database;
    readonly clock: Clock;
    readonly chains: Chains;
    readonly rails: Rails;
    readonly mode: Mode;
    readonly log: Log;
    readonly heartbeats?: Heartbeats;
    readonly showPageStreams: Observers['showPageStreams'];
  };

export function checkoutRoutes(app: FastifyInstance, deps: CheckoutDeps): void {
  // A scope of its own: every refusal here, even before a route has run, is shown to the payer as a page.
  app.register(async scope => pageRoutes(scope, deps));
}

function pageRoutes(app: FastifyInstance, deps: CheckoutDeps): void {
  const { say, refuse, openBy } = payerLinks(app, deps);
  const streams = checkoutStreams(app, deps);
  const open = (request: FastifyRequest<TokenRoute>) => openBy(request, id => findCharge(deps.db, id));

  type Handler = (charge: Charge, request: FastifyRequest<TokenRoute>, reply: FastifyReply) => Promise<unknown>;

  const route = (path: string, handle: Handler, config: { readonly isLasting?: true } = {}) =>
    app.get<TokenRoute>(
      `/pay/:token${path}`,
      { ...PAYER_PAGE, config: { ...PAYER_PAGE.config, ...config } },
      async (request, reply) => {
        const opened = await open(request);
        return typeof opened === 'string' ? say(opened, request, reply) : handle(opened, request, reply);
      },
    );

  route('', async (charge, request, reply) => {
    const { token } = request.params;
    // Read before the charge: a change in between is then reported twice instead of never.
    const version = (await readVersions(deps.db, [charge.id])).get(charge.id) ?? '';
    const view = await readView(deps, charge, request);
    const { checkoutBody, styleOf, titleOf } = await loadPage();
    const style = deps.assets.textOf('checkout.css') + styleOf(view.settings);
    const page = layout(deps.assets, {
      language: view.language,
      title: titleOf(view),
      script: 'checkout.js',
      live: { stream: `/pay/${token}/stream`, version },
      ownStyle: style,
      head: previewTags(view, titleOf(view)),
      body: checkoutBody(view),
    });
    const framedBy = view.settings.frameOrigins;
    return sendHtml(request, reply, page, { framedBy, style });
  });

  const planRoute = (
    path: string,
    handle: (plan: InstalmentPlan, request: FastifyRequest<TokenRoute>, reply: FastifyReply) => Promise<unknown>,
  ) =>
    app.get<TokenRoute>(`/pay/instalments/:token${path}`, PAYER_PAGE, async (request, reply) => {
      const opened = await openBy(request, id => findInstalmentPlan(deps.db, id));
      return typeof opened === 'string' ? say(opened, request, reply) : handle(opened, request, reply);
    });

  planRoute('', async (plan, request, reply) => {
    const parts = await readPayableParts(deps.db, plan);
    const charges = parts.map(({ charge }) => charge);
    const shown = nextOf(charges, deps.clock.now()) ?? charges[0]!;
    const token = deps.links.tokenOf(shown);
    // The page changes with the instalment that is shown first.
    const version = (await readVersions(deps.db, [shown.id])).get(shown.id) ?? '';
    const page = { plan, parts, view: await readView(deps, shown, request, token), links: deps.links };
    const [{ planBody, planTitleOf }, { styleOf }] = await Promise.all([loadPlanPage(), loadPage()]);
    const style = deps.assets.textOf('checkout.css') + styleOf(page.view.settings);
    const whole = layout(deps.assets, {
      language: page.view.language,
      title: planTitleOf(page),
      script: 'checkout.js',
      live: { stream: `/pay/${token}/stream`, version },
      ownStyle: style,
      head: previewTags(page.view, planTitleOf(page)),
      body: planBody(page),
    });
    return sendHtml(request, reply, whole, { framedBy: page.view.settings.frameOrigins, style });
  });

  planRoute('/slips.pdf', async (plan, _, reply) => {
    const parts = await readPayableParts(deps.db, plan);
    const masked = parts.map(({ number, charge }) => ({ number, charge: withMaskedPayer(charge) }));
    return reply.type('application/pdf').send(await slipsFile(deps, plan, masked));
  });

  // A form without fields: the payer asks to pay the rest, where the account allows it. A repeat gets the same charge.
  app.register(async inner => {
    inner.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => undefined);
    inner.post<TokenRoute>('/pay/:token/remainder', PAYER_PAGE, async (request, reply) => {
      const opened = await open(request);
      if (typeof opened === 'string') return say(opened, request, reply);
      const { offersRemainder } = await findSettings(deps.db, opened.accountId);
      const mayPay = offersRemainder && (opened.remainder !== undefined || opened.state === 'PARTIALLY_PAID');
      const next = mayPay ? (await makeRemainder(deps, opened.id)).charge : opened;
      return reply.redirect(`/pay/${deps.links.tokenOf(next)}?lang=${languageOf(request)}`, 303);
    });
  });

  // No token, more path after it, or a token that is too long.
  for (const path of ['/pay', '/pay/*']) {
    app.get(path, PAYER_PAGE, async (request, reply) => refuse(request, reply));
  }
  route('/stream', async (charge, request, reply) => streams.open(charge.id, request, reply), { isLasting: true });
  route('/pix.svg', async (charge, _, reply) => reply.type('image/svg+xml').send(await pixSvg(charge)));
  route('/pix.png', async (charge, _, reply) => reply.type('image/png').send(await pixPng(charge)));
  route('/boleto.pdf', async (charge, _, reply) =>
    reply.type('application/pdf').send(await boletoFile(deps, withMaskedPayer(charge))),
  );
  route('/logo', async (charge, request, reply) => {
    const { logo } = await findSettings(deps.db, charge.accountId);
    if (!logo) return say('badLink', request, reply);
    return reply.header('cache-control', 'private, max-age=300').type(logo.type).send(logo.bytes);
  });
}

/** Loaded with the first checkout: the service starts faster without the drawing libraries. */
const loadPage = () => import('./view.ts');
const loadPlanPage = () => import('./instalments-view.ts');

async function readView(
  deps: CheckoutDeps,
  charge: Charge,
  request: FastifyRequest<TokenRoute>,
  token = request.params.token,
): Promise<View> {
  const [settings, bought] = await Promise.all([
    findSettings(deps.db, charge.accountId),
    charge.orderId === undefined ? undefined : readBought(deps, charge, charge.orderId),
  ]);
  const now = deps.clock.now();
  const beneficiary = beneficiaryOf(deps.rails, charge);
  return viewOf({
    charge,
    facts: factsOf(charge, now, bought && priceEndOf(bought.order)),
    settings,
    ...(bought && { bought }),
    ...(beneficiary && { beneficiary }),
    token,
    language: languageOf(request),
    isSandbox: deps.mode === 'sandbox',
    now,
  });
}

/** Until when the price of an unpaid order holds. */
function priceEndOf({ status, ended, quote }: Order): Date | undefined {
  return status === 'pending_payment' && !ended ? quote?.expiresAt : undefined;
}

/** The beneficiary of the boleto; undefined when its rail is no longer configured: the page opens all the same. */
function beneficiaryOf(rails: Rails, charge: Charge): View['beneficiary'] {
  const boleto = charge.methods.find(isOf('boleto'));
  if (boleto?.reference === undefined) return undefined;
  const rail = findRail(rails, boleto.method, boleto.rail);
  const issuer = rail?.slip?.(boleto.reference, boleto.instrument);
  return issuer && { method: boleto.method, ...issuer.beneficiary };
}

async function readBought(deps: CheckoutDeps, charge: Charge, orderId: string): Promise<Bought | undefined> {
  const order = await findOrder(deps.db, orderId, charge.accountId);
  if (!order) return undefined;
  const payout = await findPayoutOfOwner(deps.db, orderId, charge.accountId);
  const depth = deps.chains[order.network]?.depth;
  return { order, ...(payout && { payout }), ...(depth !== undefined && { confirmationsNeeded: depth }) };
}

/** The preview in a chat app: receiver and amount only. */
function previewTags(view: View, title: string) {
  return html`<meta property="og:title" content="${title}">
<meta property="og:type" content="website">
<meta name="description" content="${view.texts.checkout}">`;
}
