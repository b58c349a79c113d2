// Pages and their forms, found by following links, and requested with random ids, filters and fields. Each answer is a page, a file
// or a redirect, and never a fault of the service.
import type { Exchange } from '../../test/harness/openapi.ts';
import { randomOf } from '../../test/harness/random.ts';
import type { Case } from './make-case.ts';
import { BAD_TEXTS } from './values.ts';

type Page = { readonly path: string; readonly forms: readonly Form[] };
type Form = { readonly action: string; readonly method: string; readonly fields: readonly string[] };

/** Enough for each kind of page. */
const MAX_PAGES = 400;
const HEADERS = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const FILTERS = ['from', 'to', 'page', 'pageSize', 'before', 'accountId', 'state', 'network', 'show', 'q', 'actor'];
const TEXTS = [...BAD_TEXTS, '1', '-1', '2026-11-16', '0,01'];
const MAX_IN_ADDRESS = 100;
/** A stream has no end, and a moved clock would affect every other case. */
const LEFT_OUT = /\/stream$|clock/;

/** All pages that links lead to from the first one of the dashboard. */
export async function findPages(url: string): Promise<Page[]> {
  const seen = new Set(['/dashboard']);
  const pages: Page[] = [];
  for (const path of seen) {
    if (pages.length >= MAX_PAGES) break;
    const answer = await fetch(url + path, { headers: HEADERS });
    const text = await answer.text();
    pages.push({ path, forms: formsOf(path, text) });
    for (const [, href = ''] of text.matchAll(/ href="(\/(?:dashboard|pay)[^"#]*)"/g)) {
      if (!LEFT_OUT.test(href)) seen.add(href.replaceAll('&amp;', '&'));
    }
  }
  return pages;
}

function formsOf(path: string, text: string): Form[] {
  return [...text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inner = '']) => ({
    action: / action="([^"]*)"/.exec(attributes)?.[1] ?? path,
    method: / method="post"/.test(attributes) ? 'POST' : 'GET',
    fields: [...inner.matchAll(/ name="([^"]+)"/g)].map(([, name = '']) => name),
  }));
}

/** The same seed and number repeat the same case, except for ids. */
export function pageCase(pages: readonly Page[], seed: number, index: number): Case {
  const random = randomOf(seed, index);
  const { path, forms } = random.pick(pages);
  const text = () => random.pick(TEXTS);
  /** A longer path is refused before its page is known. */
  const shortText = () => text().slice(0, MAX_IN_ADDRESS).toWellFormed();
  const form = forms.length > 0 && random.chance(0.5) ? random.pick(forms) : undefined;
  const address = random.chance(0.2) ? path.replace(UUID, () => encodeURIComponent(shortText())) : path;
  const named = (names: readonly string[], value: () => string) =>
    new URLSearchParams(names.map((name): [string, string] => [name, value()])).toString();
  if (!form || LEFT_OUT.test(form.action)) {
    const query = random.chance(0.5) ? `?${named([random.pick(FILTERS), random.pick(FILTERS)], shortText)}` : '';
    return caseOf('GET', `${address.split('?')[0]}${query}`);
  }
  const names = random.some(form.fields);
  if (form.method === 'GET')
    return caseOf('GET', `${form.action.split('?')[0]}?${named(names.slice(0, 5), shortText)}`);
  return caseOf('POST', form.action, named(names, text));
}

function caseOf(method: string, path: string, form?: string): Case {
  return {
    isGood: false,
    operation: `the page ${method} ${path.split('?')[0]!.replace(UUID, ':id')}`,
    method,
    path,
    headers: { ...HEADERS, ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }) },
    ...(form !== undefined && { body: Buffer.from(form) }),
  };
}

/** The fault of the answer to a page; undefined without a fault. */
export function faultOfPage({ status, contentType }: Exchange): string | undefined {
  if (status >= 300 && status < 400) return undefined;
  return /^(text\/(html|csv)|image\/|application\/pdf)/.test(contentType) ? undefined : `a page of ${contentType}`;
}
