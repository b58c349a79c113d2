// One section of the first page: something that needs a person.
import { type Html, html, type Piece } from '../html.ts';
import { count } from './formats.ts';

/** Undefined when nothing is open, or the person may not see it. */
export type Need = Html | undefined;

export function need(title: string, total: number, href: string, body: Piece): Need {
  if (total === 0) return undefined;
  return html`<section class="card attention"><div class="title"><h2>${title} <span class="badge warn">${count(total)}</span></h2><a href="${href}">See all</a></div>${body}</section>`;
}
