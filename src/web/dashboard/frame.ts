// The frame of a page of the dashboard for a person who is not logged in, or who must show a passkey.
import type { Assets } from '../assets.ts';
import { type Html, html, type Piece } from '../html.ts';
import { layout } from '../layout.ts';

/** A small page with one thing to do. */
export function plainPage(assets: Assets, title: string, body: Piece): Html {
  return layout(assets, {
    language: 'en',
    title: `${title} · Trilho`,
    style: 'dashboard.css',
    script: 'dashboard.js',
    body: html`<main class="solo"><div class="card">
<p class="brand"><a href="/dashboard">Trilho</a></p>
${body}
</div></main>`,
  });
}
