// The dashboard: every page under /dashboard. Pages read with the functions of the API, and change things by calling the API as the
// person (`act.ts`).
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PROBLEMS, type ProblemCode } from '../../api/problem-kinds.ts';
import { frameworkRefusal, OUR_FAULT, OUR_FAULT_LOGGED } from '../../http/server/framework-refusals.ts';
import type { Observers } from '../../http/server/observers.ts';
import { AppError, isOutage, noSuch } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { isStorable } from '../../lib/text.ts';
import type { Database } from '../../storage/database.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ActDeps } from './act.ts';
import type { BankNeedDeps } from './bank-needs.ts';
import type { ListDeps } from './charges.ts';
import { keptFigures } from './figures.ts';
import { fieldsOf, readForms } from './form.ts';
import { plainPage } from './frame.ts';
import { type HealthPageDeps, healthPage } from './health.ts';
import { type LoginDeps, loginRoutes } from './login.ts';
import { meRoutes } from './me.ts';
import type { OrderNeedDeps } from './order-needs.ts';
import { keptNetworkFaults, type OutsideNeedDeps } from './outside-needs.ts';
import { overviewPage } from './overview.ts';
import { queryOf } from './parts.ts';
import { recordExports } from './record-exports.ts';
import { recordPages } from './records.ts';
import { searchPage } from './search.ts';
import { streamRoute, versions } from './stream.ts';

/** What every page may use. */
export type PageDeps = ListDeps & ActDeps & OutsideNeedDeps & { readonly db: Database };

/** What the pages share. */
type Made = 'versionOf' | 'figures' | 'networkFaults';

type DashboardDeps = LoginDeps &
  Omit<PageDeps & HealthPageDeps & OrderNeedDeps & BankNeedDeps, Made> & {
    readonly log: Log;
    readonly showPageStreams: Observers['showPageStreams'];
  };

const HIDDEN = { schema: { hide: true } } as const;

/** `ofModules`: the pages that the nouns declare. */
export function dashboardRoutes(
  app: FastifyInstance,
  deps: DashboardDeps,
  ofModules: readonly ((scope: FastifyInstance, pages: PageDeps) => void)[],
): void {
  app.register(async scope => {
    readForms(scope);
    scope.setErrorHandler((error, request, reply) => sendRefusal(deps, error, request, reply));
    refuseWrongIds(scope);
    refuseUnstorable(scope);
    loginRoutes(scope, deps);
    meRoutes(scope, deps);
    streamRoute(scope, deps);
    const pages = {
      ...deps,
      versionOf: versions(deps),
      figures: keptFigures(deps),
      networkFaults: keptNetworkFaults(deps.chains, deps.machineClock),
    };
    overviewPage(scope, pages);
    for (const add of ofModules) add(scope, pages);
    recordPages(scope, pages);
    recordExports(scope, pages);
    searchPage(scope, pages);
    healthPage(scope, pages);
    scope.get<{ Params: { '*': string } }>('/dashboard/*', HIDDEN, async ({ params }, reply) => {
      if (params['*'] === '') return reply.redirect('/dashboard', 303);
      throw noSuch('page');
    });
  });
}

/** Ids of accounts and keys have another form. */
const NOT_UUIDS = /^\/dashboard\/(accounts|keys)\//;

/** Every other id is a UUID; any other text would make a query fail. */
function refuseWrongIds(scope: FastifyInstance): void {
  scope.addHook('preHandler', async ({ params, route }) => {
    if (NOT_UUIDS.test(route.url ?? '')) return;
    const { id } = params as { readonly id?: string };
    if (id !== undefined && !isUuid(id.toLowerCase()))
      throw new AppError('not_found', 'There is nothing with this id.');
  });
}

/** Refuses characters that PostgreSQL cannot store, which no id, field or filter has; a query with them would fail. */
function refuseUnstorable(scope: FastifyInstance): void {
  scope.addHook('preHandler', async request => {
    const { params } = request;
    if (!Object.values(params as object).every(isStorableValue)) throw noSuch('page');
    const given = [...Object.values(queryOf(request)).flat(), ...[...fieldsOf(request)].flat()];
    if (!given.every(isStorableValue))
      throw new AppError('malformed_request', 'A field has a character that cannot be stored.');
  });
}

function isStorableValue(value: unknown): boolean {
  return typeof value !== 'string' || isStorable(value);
}

/** A person gets a page, a script gets the problem document of the API. */
async function sendRefusal(deps: DashboardDeps, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  if (!wantsHtml(request)) throw error as FastifyError;
  reply.removeHeader('www-authenticate');
  if (!(error instanceof AppError)) return sendFault(deps, error, request, reply);
  const next = encodeURIComponent(request.method === 'GET' || isQuestion(request) ? request.url : '/dashboard/me');
  if (error.code === 'unauthorized') return reply.redirect(`/dashboard/login?next=${next}`, 303);
  if (error.code === 'fresh_login_needed') return reply.redirect(`/dashboard/confirm?next=${next}`, 303);
  if (isOutage(error)) request.server.reportOutage(request, error);
  return sendRefusalPage(deps, error.code, error.message, request, reply);
}

/** Refusals of the framework, and unexpected errors. */
function sendFault(deps: DashboardDeps, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = frameworkRefusal(error);
  if (!refusal)
    deps.log.error(OUR_FAULT_LOGGED, { requestId: request.id, route: request.route.url ?? 'unknown', error });
  const { code, detail } = refusal ?? OUR_FAULT;
  // The message for programs mentions JSON.
  const message = code === 'unsupported_media_type' ? 'This form does not accept a file.' : detail;
  return sendRefusalPage(deps, code, message, request, reply);
}

function sendRefusalPage(
  { assets }: DashboardDeps,
  code: ProblemCode,
  message: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { title, status, nextStep } = PROBLEMS[code];
  const page = plainPage(
    assets,
    title,
    html`<h1>${title}</h1><p>${message}</p><p class="muted">${nextStep}</p>
<p><a href="/dashboard">To the dashboard</a></p><p class="muted small">Request ${request.id}</p>`,
  );
  return sendHtml(request, reply, page, { status });
}

/** The question and the form of an act share one address. */
function isQuestion({ url }: FastifyRequest): boolean {
  return !url.startsWith('/dashboard/me/');
}

function wantsHtml({ headers }: FastifyRequest): boolean {
  return (headers.accept ?? '').includes('text/html');
}
