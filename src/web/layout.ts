// The frame of a page with its own style and script: head, language, icon, the stream that keeps it up to date.
import type { AssetName, Assets } from './assets.ts';
import { type Html, html, type Piece, trusted } from './html.ts';
import type { Language } from './language.ts';

type Layout = {
  readonly language: Language;
  readonly title: string;
  /** A style sheet to load; absent when `ownStyle` is enough. */
  readonly style?: AssetName;
  readonly script: AssetName;
  /** The stream of changes, and the version that the page shows; absent when the page will not change. */
  readonly live?: { readonly stream: string; readonly version: string | number };
  /** Text of a `<style>`, which `sendHtml` needs too: our own CSS, never a caller's. */
  readonly ownStyle?: string;
  /** Further elements of the head. */
  readonly head?: Piece;
  readonly body: Piece;
};

/**
 * A whole page. A part with `data-live="name"` is swapped when the page changes; one that also has a `role` keeps its element.
 *
 * @example
 * sendHtml(request, reply, layout(assets, { language, title, style: 'checkout.css', script: 'checkout.js', body }));
 */
export function layout(assets: Assets, page: Layout): Html {
  const { language, title, style, script, live, ownStyle, head, body } = page;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
${style !== undefined && html`<link rel="stylesheet" href="${assets.addressOf(style)}">`}
${ownStyle !== undefined && html`<style>${trusted(ownStyle)}</style>`}
${live && html`<meta name="live" content="${live.stream}" data-version="${live.version}">`}
${head}
<script type="module" src="${assets.addressOf(script)}"></script>
</head>
<body>
${body}
</body>
</html>
`;
}
