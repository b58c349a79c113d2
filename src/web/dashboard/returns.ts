// A return file of a bank: its entries, their outcomes, and what needs a person.
import type { FastifyInstance } from 'fastify';
import { ReturnEntriesQuery } from '../../api/boleto-return-entries.ts';
import { toPageQuery } from '../../api/paging.ts';
import { listEntries, requireReturn } from '../../charges/bank-files/return-entries.ts';
import { RETURN_OUTCOMES, type ReturnOutcome } from '../../charges/bank-files/store-returns.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct } from './act.ts';
import type { ListDeps } from './charges.ts';
import { filterForm, readFilters } from './filters.ts';
import { count, reais, when } from './formats.ts';
import { badge, facts, idLink, pager, table } from './parts.ts';
import { may, shell } from './shell.ts';

export const returnAddress = (id: string) => `/dashboard/statements/returns/${id}`;

type Entry = Awaited<ReturnType<typeof listEntries>>['entries'][number];

export function returnPages(app: FastifyInstance, deps: ListDeps & ActDeps): void {
  const options = { schema: { hide: true } } as const;
  app.get<{ Params: { id: string } }>('/dashboard/statements/returns/:id', options, async (request, reply) => {
    const { outcome, ...page } = readFilters(ReturnEntriesQuery, request);
    const id = request.params.id.toLowerCase();
    const file = await requireReturn(deps.db, id);
    const { entries, ...counts } = await listEntries(deps, id, toPageQuery(page, deps.pageSize), outcome);
    const maySee = may(request.caller, 'statements:write');
    const rows = entries.map(entry => [
      String(entry.line),
      entry.words,
      reais(entry.paidCents || entry.amountCents),
      badge(entry.outcome),
      whyOf(entry),
      aboutOf(entry),
      seenOf(entry, id, maySee),
    ]);
    const body = html`${facts([
      ['Received', html`${when(file.receivedAt)} by ${file.receivedBy}`],
      ['Entries', count(file.booked)],
      ['To see', count(file.unseen)],
      ['Odd lines', count(file.warnings.length)],
    ])}
${filterForm(request, [{ name: 'outcome', label: 'Outcome', options: RETURN_OUTCOMES }])}
${table({ caption: 'Entries', head: ['Line', 'What the bank says', '#Amount', 'Outcome', 'Why', 'About', ''], rows, empty: 'No entry has this outcome.' })}
${pager(request, counts)}`;
    const title = `Return ${file.sequence} of ${file.rail}`;
    const acts =
      maySee && file.unseen > 0 && html`<a class="button" href="${returnAddress(id)}/seen">Mark all as seen</a>`;
    return sendHtml(request, reply, shell(deps, request, { title, section: 'statements', acts, body }));
  });

  const SEEN_TEXT = html`<p>It no longer needs you. Nothing else changes: the entry stays in the list, with who has seen it.</p>`;
  defineAct(app, deps, {
    url: '/statements/returns/:id/seen',
    section: 'statements',
    ask: async (_request, { id = '' }) => {
      return {
        title: 'Mark every entry as seen?',
        text: SEEN_TEXT,
        button: 'Mark all as seen',
        back: returnAddress(id),
      };
    },
    call: (_fields, { id = '' }) => ({ method: 'POST', url: `/boletos/returns/${id}/seen` }),
    done: (_answer, { id = '' }) => returnAddress(id),
  });
  defineAct(app, deps, {
    url: '/statements/returns/:id/entries/:line/seen',
    section: 'statements',
    ask: async (_request, { id = '', line = '' }) => {
      return {
        title: `Mark the entry of line ${line} as seen?`,
        text: SEEN_TEXT,
        button: 'Mark as seen',
        back: returnAddress(id),
      };
    },
    call: (_fields, { id = '', line = '' }) => ({
      method: 'POST',
      url: `/boletos/returns/${id}/entries/${encodeURIComponent(line)}/seen`,
    }),
    done: (_answer, { id = '' }) => returnAddress(id),
  });
}

function whyOf({ remark, reasons }: Pick<Entry, 'remark' | 'reasons'>): string {
  return remark ?? reasons.map(({ code, words }) => `${code} ${words}`).join(', ');
}

/** Their money waits for a person. */
const KEPT: readonly ReturnOutcome[] = ['unmatched', 'possible_duplicate'];

function aboutOf({ chargeId, outcome, paidCents }: Entry): Piece {
  return [
    chargeId !== undefined && idLink(`/dashboard/charges/${chargeId}`, chargeId),
    KEPT.includes(outcome) && paidCents > 0 && html` <a href="/dashboard/unmatched">Unmatched money</a>`,
  ];
}

/** The button of an entry that needs a person, or who has seen it. */
export function seenOf(
  { outcome, seenAt, seenBy, line }: Pick<Entry, 'outcome' | 'seenAt' | 'seenBy' | 'line'>,
  returnId: string,
  maySee: boolean,
): Piece {
  if (seenAt !== undefined) return html`seen ${when(seenAt)} by ${seenBy ?? ''}`;
  if (outcome !== 'needs_attention' || !maySee) return '';
  return html`<a class="button secondary small" href="${returnAddress(returnId)}/entries/${String(line)}/seen">Seen</a>`;
}
