// HTML pages: the home page, and the explanation of each problem code.
import type { FastifyInstance } from 'fastify';
import { EXAMPLE_REQUEST_ID, problem } from '../api/problem.ts';
import { PROBLEMS, type ProblemCode } from '../api/problem-kinds.ts';
import type { Clock } from '../lib/clock.ts';
import { noSuch } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import { curlExamples } from './curl.ts';
import { firstSteps } from './first-steps.ts';
import { escapeHtml } from './html.ts';
import { sendPage } from './page.ts';

/** The icon: two rails and three sleepers. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path stroke="#1a7f5a" stroke-width="2" d="M5 0v16M11 0v16M2 3h12M2 8h12M2 13h12"/></svg>';

type Deps = { readonly clock: Clock; readonly mode: Mode; readonly version: string };

export function pageRoutes(app: FastifyInstance, deps: Deps): void {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    const url = `http://${hostOf(request.headers.host)}`;
    const { list } = curlExamples(url, deps.clock, deps.mode);
    const steps = firstSteps(url, deps.clock, deps.mode).map(
      ({ title, text, command }, index) => `<h2>${index + 1}. ${escapeHtml(title)}</h2>
<p>${escapeHtml(text)}</p>
<pre><code>${escapeHtml(command)}</code></pre>`,
    );
    return sendPage(
      reply,
      'Trilho',
      `<h1>Trilho</h1>
<p>Charge in reais by pix and boleto, settle into crypto. Version ${escapeHtml(deps.version)}, ${deps.mode}.</p>
<nav aria-label="Pages"><a href="/dashboard">Dashboard</a> · <a href="/docs/">Reference</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/problems">Problems</a></nav>
${steps.join('\n')}
<h2>List crypto transactions</h2>
<pre><code>${escapeHtml(list)}</code></pre>
<p><a href="/crypto/transactions">See the list</a></p>`,
    );
  });

  app.get('/favicon.ico', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('image/svg+xml').send(ICON),
  );

  app.get('/problems', { schema: { hide: true } }, async (_request, reply) => {
    const codes = Object.keys(PROBLEMS) as ProblemCode[];
    return sendPage(
      reply,
      'Problems',
      `<p><a href="/">Trilho</a></p>\n<h1>Problems</h1>\n<dl>${codes.map(entry).join('\n')}</dl>`,
    );
  });

  app.get<{ Params: { code: string } }>('/problems/:code', { schema: { hide: true } }, async (request, reply) => {
    const { code } = request.params;
    if (!isProblemCode(code)) throw noSuch('problem');
    return sendPage(reply, PROBLEMS[code].title, problemPage(code));
  });
}

function problemPage(code: ProblemCode): string {
  const { title, status, meaning, nextStep, example } = PROBLEMS[code];
  const shown = JSON.stringify(problem(code, EXAMPLE_REQUEST_ID, example), undefined, 2);
  return `<p><a href="/problems">All problems</a> · <a href="/docs/">Reference</a></p>
<h1>${escapeHtml(title)}</h1>
<p><code>${code}</code>, status ${status}</p>
<h2>What happened</h2>
<p>${escapeHtml(meaning)}</p>
<h2>What to do</h2>
<p>${escapeHtml(nextStep)}</p>
<h2>Example</h2>
<pre><code>${escapeHtml(shown)}</code></pre>`;
}

function entry(code: ProblemCode): string {
  const { status, meaning } = PROBLEMS[code];
  return `<dt><a href="/problems/${code}"><code>${code}</code></a> (${status})</dt><dd>${escapeHtml(meaning)}</dd>`;
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** The host name of the request, when it is a valid one. */
function hostOf(host: string | undefined): string {
  return host !== undefined && /^[\w.:[\]-]{1,255}$/.test(host) ? host : 'localhost';
}
