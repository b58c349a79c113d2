// /reminders/opt-out/{token}: the page behind the link in every mail, without a login. GET changes nothing, since mail programs fetch links
// for a preview; a POST ends the reminders, also that of a mail program's own button (RFC 8058), which must not be redirected.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findSettings } from '../../accounts/store-settings.ts';
import { isOptedOut, setOptOut } from '../../billing/reminders/opt-out.ts';
import { findReminder } from '../../billing/reminders/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../storage/database.ts';
import { html } from '../html.ts';
import { languageOf } from '../language.ts';
import { layout } from '../layout.ts';
import { PAYER_PAGE, type PayerLinkDeps, payerLinks, type TokenRoute } from '../payer-links.ts';
import { sendHtml } from '../send-html.ts';
import { REMINDER_TEXTS } from './texts.ts';

export type OptOutDeps = PayerLinkDeps & { readonly db: Database; readonly clock: Clock };

const URL = '/reminders/opt-out/:token';
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

export function optOutPages(app: FastifyInstance, deps: OptOutDeps): void {
  app.register(async scope => {
    const { openBy, say } = payerLinks(scope, deps);
    scope.addContentTypeParser(FORMS, { parseAs: 'string' }, async (_: FastifyRequest, text: string) => text);
    const open = (request: FastifyRequest<TokenRoute>) => openBy(request, id => findMailed(deps.db, id));

    scope.get<TokenRoute>(URL, PAYER_PAGE, async (request, reply) => {
      const opened = await open(request);
      return typeof opened === 'string' ? say(opened, request, reply) : sendPage(deps, opened, request, reply);
    });

    scope.post<TokenRoute>(URL, PAYER_PAGE, async (request, reply) => {
      const opened = await open(request);
      if (typeof opened === 'string') return say(opened, request, reply);
      await setOptOut(deps, opened, request.body !== 'resume=yes');
      return sendPage(deps, opened, request, reply);
    });
  });
}

/** A reminder that was mailed, as what a link opens; undefined after its payer was erased. */
async function findMailed(db: Database, id: string) {
  const reminder = await findReminder(db, id);
  if (reminder?.addressHash === undefined) return undefined;
  return { id, linkEpoch: 0, accountId: reminder.accountId, addressHash: reminder.addressHash };
}

type Mailed = NonNullable<Awaited<ReturnType<typeof findMailed>>>;

async function sendPage(
  { db, assets }: OptOutDeps,
  { accountId, addressHash }: Mailed,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const language = languageOf(request);
  const texts = REMINDER_TEXTS[language].page;
  const { displayName: seller = accountId } = await findSettings(db, accountId);
  const isOut = await isOptedOut(db, accountId, addressHash);
  const body = html`<main><section class="card status plain"><h1>${isOut ? texts.stopped(seller) : texts.ask(seller)}</h1>
<p>${isOut ? texts.stoppedText : texts.text}</p>
<form method="post" action="?lang=${language}">${isOut && html`<input type="hidden" name="resume" value="yes">`}<button class="button" type="submit">${isOut ? texts.resume : texts.stop}</button></form></section></main>`;
  const page = { language, title: texts.title, style: 'checkout.css', script: 'checkout.js', body } as const;
  return sendHtml(request, reply, layout(assets, page));
}
