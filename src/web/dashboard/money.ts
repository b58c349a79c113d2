// Unmatched money, with the charges that it may be for.
import type { FastifyInstance } from 'fastify';
import { toPageQuery } from '../../api/paging.ts';
import { UnmatchedQuery } from '../../api/payments.ts';
import { listUnmatched } from '../../charges/unmatched/list.ts';
import { type Suggestion, suggestCharges } from '../../charges/unmatched/suggest.ts';
import { type Html, html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct } from './act.ts';
import type { ListDeps } from './charges.ts';
import { csvLink } from './csv.ts';
import { readFilters } from './filters.ts';
import { textField } from './form.ts';
import { reais, when } from './formats.ts';
import { badge, idLink, pager, table } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & ActDeps;
type Payment = Awaited<ReturnType<typeof listUnmatched>>['payments'][number];

export function moneyPages(app: FastifyInstance, deps: Deps): void {
  const options = { schema: { hide: true } } as const;
  app.get('/dashboard/unmatched', options, async (request, reply) => {
    const query = toPageQuery(readFilters(UnmatchedQuery, request), deps.pageSize);
    const { payments, ...counts } = await listUnmatched(deps, query);
    const suggestions = await suggestCharges(deps.db, payments, request.caller?.accountId);
    const page = shell(deps, request, {
      title: 'Unmatched money',
      section: 'unmatched',
      version: await deps.versionOf(),
      acts: csvLink(request, '/dashboard/unmatched.csv'),
      body: html`<div data-live="list">${unmatchedTable(payments, suggestions, may(request.caller, 'payments:write'))}${pager(request, counts)}</div>`,
    });
    return sendHtml(request, reply, page);
  });

  defineAct(app, deps, {
    url: '/unmatched/record',
    section: 'unmatched',
    ask: async request => {
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      return {
        title: 'Record this money for a charge?',
        text: html`<p>It counts as a payment of the charge. The same reference is recorded once.</p>`,
        fields: [
          { name: 'chargeId', label: 'Charge', isRequired: true, value: query.get('chargeId') ?? '' },
          { name: 'reference', label: 'Reference', isRequired: true, value: query.get('reference') ?? '' },
          { name: 'amountCents', label: 'Amount in cents', isRequired: true, value: query.get('amountCents') ?? '' },
          { name: 'paidAt', label: 'Paid at', value: query.get('paidAt') ?? '' },
          {
            name: 'isAnother',
            label: 'Record it even though a payment of the same amount is known',
            type: 'checkbox',
          },
        ],
        button: 'Record the payment',
        back: '/dashboard/unmatched',
      };
    },
    call: fields => {
      const cents = textField(fields, 'amountCents');
      const paidAt = textField(fields, 'paidAt');
      return {
        method: 'POST',
        url: `/charges/${encodeURIComponent(textField(fields, 'chargeId') || '-')}/payments`,
        body: {
          amountCents: /^\d+$/.test(cents) ? Number(cents) : cents,
          reference: textField(fields, 'reference'),
          ...(paidAt !== '' && { paidAt }),
          ...(textField(fields, 'isAnother') === 'true' && { isAnother: true }),
        },
      };
    },
    done: ({ id }) => (typeof id === 'string' ? `/dashboard/charges/${id}` : '/dashboard/unmatched'),
  });

  defineAct(app, deps, {
    url: '/unmatched/dismiss',
    section: 'unmatched',
    ask: async request => ({
      title: 'Dismiss this money?',
      text: html`<p>For a duplicate, or money that is for no charge. It leaves the list; it can still be recorded by its reference.</p>`,
      fields: [
        {
          name: 'reference',
          label: 'Reference',
          isRequired: true,
          value: new URLSearchParams(request.url.split('?')[1] ?? '').get('reference') ?? '',
        },
      ],
      button: 'Dismiss',
      back: '/dashboard/unmatched',
    }),
    call: fields => ({
      method: 'POST',
      url: '/payments/unmatched/dismiss',
      body: { reference: textField(fields, 'reference') },
    }),
    done: () => '/dashboard/unmatched',
  });
}

/** One click records it for a suggested charge; the row shows the full effect. */
export function unmatchedTable(
  payments: readonly Payment[],
  suggestions: ReadonlyMap<string, readonly Suggestion[]>,
  mayRecord: boolean,
): Html {
  const rows = payments.map(payment => [
    when(payment.postedAt),
    payment.amountCents === undefined ? html`<span class="muted">not readable</span>` : reais(payment.amountCents),
    [payment.words, payment.reason !== 'no_match' && [' ', badge(payment.reason)]],
    suggested(payment, suggestions.get(payment.reference) ?? [], mayRecord),
    mayRecord &&
      html`<a class="button secondary small" href="${actAddress('record', payment)}">Another charge</a>
<a class="button secondary small" href="${actAddress('dismiss', payment)}">Dismiss</a>`,
  ]);
  return table({
    caption: 'Money without a charge',
    head: ['Posted', '#Amount', 'What the bank wrote', 'May be for', ''],
    rows,
    empty: 'All money that came has its charge.',
  });
}

function actAddress(act: string, { reference, amountCents, postedAt }: Payment): string {
  return `/dashboard/unmatched/${act}?${new URLSearchParams({ reference, amountCents: String(amountCents ?? ''), paidAt: postedAt })}`;
}

function suggested(payment: Payment, suggestions: readonly Suggestion[], mayRecord: boolean): Piece {
  if (payment.duplicateOf !== undefined) return html`the payment <code>${payment.duplicateOf}</code>, seen before`;
  if (payment.reason === 'unreadable') return html`<code>${payment.reference}</code>: look for it at the bank`;
  if (suggestions.length === 0) return html`<span class="muted">no open charge of this amount</span>`;
  return html`<ul class="suggestions">${suggestions.map(
    ({
      chargeId,
      customerName,
      dueAt,
    }) => html`<li>${idLink(`/dashboard/charges/${chargeId}`, chargeId)} ${customerName}, due ${when(dueAt)}
${
  mayRecord &&
  html`<form method="post" action="/dashboard/unmatched/record">${Object.entries({
    chargeId,
    reference: payment.reference,
    amountCents: String(payment.amountCents),
    paidAt: payment.postedAt,
  }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="button small">Record for it</button></form>`
}</li>`,
  )}</ul>`;
}
