// The first page: what needs a person, then the figures.
import type { FastifyInstance } from 'fastify';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type BankNeedDeps, entriesToSee, numbersRunningOut, unansweredFiles } from './bank-needs.ts';
import { openDisputes } from './dispute-needs.ts';
import { type Figures, ninetyDays, todayFigures } from './figures.ts';
import { mailFaults } from './mail-needs.ts';
import { refusedCancellations } from './mandate-needs.ts';
import {
  failingWebhooks,
  heldOrders,
  type OrderNeedDeps,
  payoutsToApprove,
  unmatchedMoney,
  walletsToApprove,
} from './order-needs.ts';
import {
  endingCertificates,
  haltedSenders,
  type OutsideNeedDeps,
  openAlarms,
  openPauses,
  silentNetworks,
  silentRails,
} from './outside-needs.ts';
import { linksToApprove, type PeopleNeedDeps } from './people-needs.ts';
import { shell } from './shell.ts';
import { refusedCycles, unorderedCycles } from './subscription-needs.ts';

type Deps = OrderNeedDeps & PeopleNeedDeps & OutsideNeedDeps & BankNeedDeps & { readonly figures: Figures };

/** In display order: decisions before repairs. */
const NEEDS = [
  payoutsToApprove,
  heldOrders,
  walletsToApprove,
  linksToApprove,
  openDisputes,
  unmatchedMoney,
  refusedCycles,
  unorderedCycles,
  entriesToSee,
  unansweredFiles,
  numbersRunningOut,
  refusedCancellations,
  haltedSenders,
  openPauses,
  openAlarms,
  silentRails,
  silentNetworks,
  endingCertificates,
  mailFaults,
  failingWebhooks,
];

export function overviewPage(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard', { schema: { hide: true } }, async (request, reply) => {
    const [figures, ...needs] = await Promise.all([
      deps.figures(request.caller?.accountId),
      ...NEEDS.map(read => read(deps, request)),
    ]);
    const shown = needs.filter(need => need !== undefined);
    const page = shell(deps, request, {
      title: 'Needs you',
      section: 'overview',
      version: await deps.versionOf(),
      body: html`<div data-live="needs">${shown.length === 0 ? html`<p class="card calm">Nothing needs you. This page updates by itself.</p>` : shown}</div>
<div data-live="figures"><h2 class="section">Today</h2>${todayFigures(figures)}
<h2 class="section">90 days</h2>${ninetyDays(figures)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
}
