// The frame of a page of the dashboard: navigation by what the person may see, the search box, the stream that keeps it up to date.
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import type { Scope } from '../../accounts/scopes.ts';
import { mayUse } from '../../api/access.ts';
import type { Mode } from '../../lib/mode.ts';
import type { SectionLink } from '../../noun.ts';
import { NOUNS } from '../../nouns.ts';
import type { Assets } from '../assets.ts';
import { attributes, type Html, html, type Piece } from '../html.ts';
import { layout } from '../layout.ts';

export type ShellDeps = {
  readonly assets: Assets;
  readonly mode: Mode;
};

const FIRST = { name: 'overview', label: 'Needs you', href: '/dashboard' };
const LAST = { name: 'health', label: 'Health', href: '/dashboard/health' };
const SECTIONS: readonly SectionLink[] = [FIRST, ...NOUNS.flatMap(({ sections = [] }) => sections), LAST];

type ShellPage = {
  readonly title: string;
  /** The entry of the menu that it belongs to. */
  readonly section: string;
  /** Beside the title: buttons and links. */
  readonly acts?: Piece;
  /** The version that the page shows, when it is to be kept up to date. */
  readonly version?: string;
  readonly body: Piece;
};

/** Whether the person may do something; in a sandbox anybody may. */
export function may(caller: Caller | undefined, scope: Scope): boolean {
  return caller === undefined || caller.scopes.includes(scope);
}

export function shell({ assets, mode }: ShellDeps, { caller, query }: FastifyRequest, page: ShellPage): Html {
  const { title, section, acts, version, body } = page;
  const person = caller?.session?.person;
  const asked = typeof query === 'object' && query !== null && 'q' in query ? query.q : '';
  const seen = SECTIONS.filter(({ href }) => mayUse(caller, href));
  const links = seen.map(
    ({ name, label, href }) =>
      html`<li><a${attributes({ href, 'aria-current': name === section && 'page' })}>${label}</a></li>`,
  );
  return layout(assets, {
    language: 'en',
    title: `${title} · Trilho`,
    style: 'dashboard.css',
    script: 'dashboard.js',
    ...(version !== undefined && { live: { stream: '/dashboard/stream', version } }),
    body: html`<a class="skip" href="#main">Skip to the page</a>
<header class="top no-print">
<a class="brand" href="/dashboard">Trilho</a>
${mode === 'sandbox' && html`<span class="badge warn">sandbox</span>`}
<form class="search" action="/dashboard/search" role="search">
<label class="visually-hidden" for="q">Search</label>
<input id="q" name="q" type="search" placeholder="Payer, CPF, amount, or any id: charge, txid, E2E, hash" value="${typeof asked === 'string' ? asked : ''}" maxlength="255" spellcheck="false" autocomplete="off">
<button class="button secondary small">Search</button>
</form>
${person && html`<a class="person" href="/dashboard/me">${person.name}<span class="muted"> ${person.role}</span></a>`}
</header>
<div class="columns">
<details class="menu no-print" open><summary>Menu</summary><nav aria-label="Sections"><ul>${links}</ul></nav></details>
<main id="main" tabindex="-1">
<div class="title"><h1>${title}</h1>${acts !== undefined && html`<div class="acts">${acts}</div>`}</div>
${caller?.session?.hasNews && html`<p class="note warn">A link, passkey, key or role of yours is new. <a href="/dashboard/me#notices">See what changed</a>, and by whom.</p>`}
${body}
</main>
</div>`,
  });
}
