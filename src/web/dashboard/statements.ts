// Bank files: imported statements and return files, and the form to upload one.

import { MAX_FILE_BYTES } from '@trilho/cnab';
import type { FastifyInstance } from 'fastify';
import { toPageQuery } from '../../api/paging.ts';
import { StatementsQuery } from '../../api/statements.ts';
import { readAgreementUses } from '../../charges/bank-files/store-agreements.ts';
import { type BankFile, listBankFiles } from '../../charges/statements/list-bank-files.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct } from './act.ts';
import { isRecord } from './api-call.ts';
import type { ListDeps } from './charges.ts';
import { readFilters } from './filters.ts';
import { filled, textField } from './form.ts';
import { count, when } from './formats.ts';
import { badge, facts, pager, table } from './parts.ts';
import { returnAddress } from './returns.ts';
import { may, shell } from './shell.ts';

const unclear = { group: 'When the file alone is not enough' };

export function statementPages(app: FastifyInstance, deps: ListDeps & ActDeps): void {
  const options = { schema: { hide: true } } as const;
  app.get('/dashboard/statements', options, async (request, reply) => {
    const { files, ...counts } = await listBankFiles(
      deps,
      toPageQuery(readFilters(StatementsQuery, request), deps.pageSize),
    );
    const fileName = (id: string, name: string) => html`<a href="${returnAddress(id)}">${name}</a>`;
    const rows = files.map(file => {
      const ends = endsOf(file);
      const isReturn = file.format === 'cnab';
      return [
        when(file.takenAt),
        file.takenBy,
        isReturn
          ? html`${fileName(file.id, `CNAB ${file.sequence} of ${file.agreement}`)}${!file.isFinished && [' ', badge('cut off')]}`
          : file.format.toUpperCase(),
        count(ends.paid),
        count(ends.forPerson),
        count(ends.known),
        count(file.faults),
      ];
    });
    const page = shell(deps, request, {
      title: 'Statements',
      section: 'statements',
      acts:
        may(request.caller, 'statements:write') &&
        html`<a class="button" href="/dashboard/statements/upload">Upload a statement</a>`,
      body: html`${table({ caption: 'Statements and return files', head: ['Taken', 'By', 'File', '#Paid a charge', '#For a person', '#Known before', '#Odd lines'], rows, empty: 'No file was imported yet.' })}
${pager(request, counts)}`,
    });
    return sendHtml(request, reply, page);
  });

  defineAct(app, deps, {
    url: '/statements/upload',
    section: 'statements',
    maxFileBytes: MAX_FILE_BYTES,
    ask: async () => ({
      title: 'Upload a statement',
      text: html`<p>OFX or CSV of your bank, at most 10 MB, or a CNAB 240 return file (.ret), at most 128 MB. Entries with the txid of a charge pay it,
and so do boletos of a return file; other incoming money is kept for you. To upload a file again is safe.</p>`,
      fields: [
        { name: 'file', label: 'File', type: 'file', isRequired: true },
        {
          name: 'agreement',
          label: 'Agreement',
          options: (await readAgreementUses(deps.db)).map(({ rail }) => ({ value: rail, label: rail })),
          hint: 'For a return file that does not name its agreement, such as sicoob:main.',
          ...unclear,
        },
        {
          name: 'debitsHaveMinus',
          label: 'This bank writes a minus before each debit (CSV)',
          type: 'checkbox',
          ...unclear,
        },
      ],
      button: 'Import the statement',
      back: '/dashboard/statements',
    }),
    call: async fields => {
      const file = fields.get('file');
      const bytes = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0);
      const isOfx = file instanceof File && /\.(?:ofx|qfx)$/i.test(file.name);
      if (file instanceof File && /\.(?:ret|rst)$/i.test(file.name)) {
        const query = new URLSearchParams(filled(fields, ['agreement'])).toString();
        return {
          method: 'POST',
          url: `/boletos/returns${query === '' ? '' : `?${query}`}`,
          file: { type: 'application/octet-stream', bytes },
        };
      }
      const hasMinus = textField(fields, 'debitsHaveMinus') === 'true';
      return {
        method: 'POST',
        url: `/statements${hasMinus ? '?debitsHaveMinus=true' : ''}`,
        file: { type: isOfx ? 'application/x-ofx' : 'text/csv', bytes },
      };
    },
    done: answer => {
      // A statement has its counts inside, a return file at the top.
      const { statement, faults, warnings = faults, isKnown, id } = answer;
      const { counts: found } = isRecord(statement) ? statement : answer;
      const counts = isRecord(found) ? found : {};
      const unreadable = Array.isArray(warnings) ? warnings.filter(isRecord) : [];
      return {
        title: isKnown === true ? 'The file was imported before' : 'The file was imported',
        shown: html`<section class="card">${isKnown === true && html`<p>It was already imported completely, and nothing has changed.</p>`}${facts(Object.entries(counts).map(([name, value]) => [name.replaceAll('_', ' '), typeof value === 'number' ? count(value) : String(value)] as const))}
${unreadable.length > 0 && html`<h2>Lines to look at</h2><ul>${unreadable.map(({ line, message }) => html`<li>Line ${String(line)}: ${String(message)}</li>`)}</ul>`}
<p class="acts"><a class="button" href="/dashboard/unmatched">See unmatched money</a> ${!isRecord(statement) && typeof id === 'string' && html`<a class="button secondary" href="${returnAddress(id)}">See its entries</a> `}<a class="button secondary" href="/dashboard/statements">All statements</a></p></section>`,
      };
    },
  });
}

/** The outcomes of the entries of a file of either kind. */
function endsOf(file: BankFile) {
  if (file.format === 'cnab') {
    const { paid = 0, unmatched = 0, possible_duplicate = 0, needs_attention = 0, repeated = 0 } = file.counts;
    return { paid, forPerson: unmatched + possible_duplicate + needs_attention, known: repeated };
  }
  const { matched, differing, repeated, unmatched, duplicate, returned, known } = file.counts;
  return { paid: matched + differing + repeated, forPerson: unmatched + duplicate + returned, known };
}
