// The slips of an instalment plan as one PDF: every boleto of it that can still be paid.
import type { FastifyInstance } from 'fastify';
import { type PerPage, SlipsQuery } from '../api/instalments.ts';
import type { InstalmentPlan } from '../billing/instalments/instalment-plan.ts';
import { requireInstalmentPlan } from '../billing/instalments/require.ts';
import { type PlanPart, readPayableParts } from '../billing/instalments/show.ts';
import { Binary, media } from '../http/server/answers.ts';
import { idOf } from '../http/server/path.ts';
import { defineRoute } from '../http/server/route.ts';
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { boletosOfPlan } from './boletos-of-plan.ts';
import { type SlipDeps, slipOf } from './charge-pictures.ts';

export type SlipsDeps = SlipDeps & { readonly db: Sql };

export function slipRoutes(app: FastifyInstance, deps: SlipsDeps): void {
  const summary = 'The slips of an instalment plan, to print';
  defineRoute(app, {
    method: 'GET',
    url: '/instalments/:id/slips.pdf',
    operationId: 'getSlipsPdf',
    summary,
    description:
      'Every boleto of the plan that can still be paid, each with its pix code where it has one. Refused until the banks have made all of them.',
    tag: 'Instalments',
    path: idOf('instalment plan'),
    query: SlipsQuery,
    answer: media<Buffer>('application/pdf', Binary, summary, 'a file'),
    problems: ['wrong_state'],
    handle: async ({ path, query, caller }) => {
      const plan = await requireInstalmentPlan(deps.db, path.id, caller?.accountId);
      return slipsFile(deps, plan, await readPayableParts(deps.db, plan), query.perPage);
    },
  });
}

/** Refuses a plan without a boleto that can be paid, and one with a boleto that its bank has not made yet: a carnê is printed whole. */
export async function slipsFile(
  { mode, links, rails }: SlipDeps,
  { instalmentCount: count }: InstalmentPlan,
  parts: readonly PlanPart[],
  perPage: PerPage = '3',
): Promise<Buffer> {
  const { any, open, missing } = boletosOfPlan(parts);
  if (!any) throw new AppError('not_found', 'This plan has no boleto.');
  if (open.length === 0) throw new AppError('wrong_state', 'No boleto of this plan can be paid any more.');
  if (missing > 0) {
    throw new AppError('wrong_state', `The bank has not made ${missing} of the ${open.length} boletos yet.`);
  }
  const slips = open.map(({ charge, number }) => ({
    ...slipOf(rails, charge, mode),
    checkoutUrl: links.checkoutUrl(charge),
    number,
    count,
  }));
  // The drawing library is loaded with the first file, so that the service starts faster.
  const { slipsPdf } = await import('./boleto-pdf.ts');
  return slipsPdf(slips, perPage === '1' ? 1 : 3);
}
