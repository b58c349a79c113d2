// The frame of every HTML page: one style, one script that adds copy buttons, nothing from another host.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { escapeHtml } from './html.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 4rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin-bottom: .25rem; }
h2 { font-size: 1.1rem; margin-top: 2.5rem; }
pre { position: relative; white-space: pre-wrap; overflow-wrap: anywhere; padding: 1rem 5.5rem 1rem 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: .5rem; }
code { font-family: ui-monospace, monospace; font-size: .9em; }
pre button { position: absolute; top: .5rem; right: .5rem; font: inherit; font-size: .8rem; padding: .2rem .6rem; cursor: pointer; }
a { color: inherit; }
dt { font-weight: 600; margin-top: 1rem; }
dd { margin: 0; }
`;

/** Without scripts only the buttons are missing. A browser offers a clipboard only for https and localhost. */
const SCRIPT = `
for (const code of navigator.clipboard ? document.querySelectorAll('pre > code') : []) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  code.after(button);
}
`;

const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; img-src 'self'; style-src 'sha256-${STYLE_HASH}'; script-src 'sha256-${SCRIPT_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

/** Sends a page; `body` must be trusted HTML. */
export function sendPage(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .header('content-security-policy', POLICY)
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`);
}
