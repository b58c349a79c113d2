// Agreements with banks that take files, and the files for them: waiting instructions, files made, making and downloading files.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BoletoFilesQuery } from '../../api/boleto-files.ts';
import { toPageQuery } from '../../api/paging.ts';
import { listBoletoFiles } from '../../charges/bank-files/file-views.ts';
import { readAgreementUses } from '../../charges/bank-files/store-agreements.ts';
import type { FileKey } from '../../charges/bank-files/store-files.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct, type Field } from './act.ts';
import type { ListDeps } from './charges.ts';
import { readFilters } from './filters.ts';
import { type Fields, textField } from './form.ts';
import { count, when } from './formats.ts';
import { pager, table } from './parts.ts';
import { may, shell } from './shell.ts';

const PAGE = '/dashboard/boletos';

export function renewAddress(key: FileKey): string {
  return fileAddress('renew', key);
}

function fileAddress(act: 'renew' | 'take', { rail, sequence }: FileKey): string {
  return `${PAGE}/${act}?${new URLSearchParams({ agreement: rail, file: String(sequence) })}`;
}

type Marks = { readonly offeredAt?: string; readonly isTakenByHand?: true; readonly renewedAt?: string };

function offeredOf({ offeredAt, isTakenByHand, renewedAt }: Marks): Piece {
  if (offeredAt === undefined) return renewedAt === undefined ? 'not yet' : 'renewed';
  return [when(offeredAt), isTakenByHand && ', by hand'];
}

export function boletoFilePages(app: FastifyInstance, deps: ListDeps & ActDeps): void {
  const options = { schema: { hide: true } } as const;
  app.get(PAGE, options, async (request, reply) => {
    const { agreement, ...page } = readFilters(BoletoFilesQuery, request);
    const { files, ...counts } = await listBoletoFiles(
      deps,
      toPageQuery(page, deps.pageSize),
      agreement === undefined ? {} : { agreement },
    );
    const mayMake = may(request.caller, 'statements:write');
    const agreements = (await readAgreementUses(deps.db)).map(use => [
      use.rail,
      count(use.waiting),
      use.waitingSince ? when(use.waitingSince) : '',
      use.lastFile ? [String(use.lastFile.sequence), ', ', when(use.lastFile.madeAt)] : '–',
      use.lastReturnAt ? when(use.lastReturnAt) : '–',
      use.exchangeError ?? '',
      mayMake &&
        use.waiting > 0 &&
        html`<a class="button secondary small" href="${PAGE}/make?agreement=${encodeURIComponent(use.rail)}">Make a file</a>`,
    ]);
    const rows = files.map(({ agreement: rail, sequence, name, madeAt, titles, unanswered, ...marks }) => [
      when(madeAt),
      rail,
      String(sequence),
      count(titles),
      count(unanswered),
      offeredOf(marks),
      mayMake && !marks.bytesRemovedAt
        ? html`<a href="/boletos/files/${encodeURIComponent(rail)}/${String(sequence)}/content" download>${name}</a>`
        : name,
      mayMake &&
        unanswered > 0 && [
          !marks.renewedAt &&
            html`<a class="button secondary small" href="${fileAddress('take', { rail, sequence })}">Carry it yourself</a> `,
          html`<a class="button secondary small" href="${renewAddress({ rail, sequence })}">Send again</a>`,
        ],
    ]);
    const body = html`${table({ caption: 'Agreements', head: ['Agreement', '#Waiting', 'Since', 'Last file', 'Last return', 'Last exchange failed', ''], rows: agreements, empty: 'No agreement with a bank that takes files.' })}
${table({ caption: 'Files to banks', head: ['Made', 'Agreement', 'Number', '#Titles', '#Unanswered', 'Offered', 'File', ''], rows, empty: 'No file was made yet.' })}
<p class="muted small">Downloading a file changes nothing, but leaves a line in the audit log, since files name payers.</p>
${pager(request, counts)}`;
    return sendHtml(request, reply, shell(deps, request, { title: 'Boletos by file', section: 'boletos', body }));
  });

  defineAct(app, deps, {
    url: '/boletos/make',
    section: 'boletos',
    ask: async request => ({
      title: 'Make a file',
      text: html`<p>All waiting instructions for this bank go into a file, or into several where the bank limits the titles of one. Carry it to the bank;
a file stays the same, however often it is downloaded.</p>`,
      fields: [
        {
          name: 'agreement',
          label: 'Agreement',
          isRequired: true,
          value: new URLSearchParams(request.url.split('?')[1] ?? '').get('agreement') ?? '',
        },
      ],
      button: 'Make the file',
      back: PAGE,
    }),
    call: fields => ({ method: 'POST', url: '/boletos/files', body: { agreement: textField(fields, 'agreement') } }),
    done: () => PAGE,
  });

  defineAct(app, deps, {
    url: '/boletos/renew',
    section: 'boletos',
    ask: async request => ({
      title: 'Send again what the bank has not answered?',
      text: html`<p>For a file that the bank never got: ask the bank first. Its unanswered instructions go into a new file with a number of its own, and the
boletos keep their numbers; what has ended meanwhile is let go. Should the bank have got both, it refuses the repeats, and that fails no charge.</p>`,
      fields: fileFields(request),
      button: 'Make a new file',
      back: PAGE,
    }),
    call: fields => ({ method: 'POST', url: `${pathOfFile(fields)}/renew` }),
    done: () => PAGE,
  });

  defineAct(app, deps, {
    url: '/boletos/take',
    section: 'boletos',
    ask: async request => ({
      title: 'Carry this file to the bank yourself?',
      text: html`<p>It will no longer be put into the folder or sent to the SFTP server automatically. Download it from the list and take it to the bank.
If it was offered before, the bank may get it twice.</p>`,
      fields: fileFields(request),
      button: 'Carry it myself',
      back: PAGE,
    }),
    call: fields => ({ method: 'POST', url: `${pathOfFile(fields)}/take` }),
    done: () => PAGE,
  });
}

function fileFields({ url }: FastifyRequest): readonly Field[] {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  return [
    { name: 'agreement', label: 'Agreement', isRequired: true, value: query.get('agreement') ?? '' },
    { name: 'file', label: 'Number of the file', isRequired: true, value: query.get('file') ?? '' },
  ];
}

function pathOfFile(fields: Fields): string {
  const [agreement, file] = [textField(fields, 'agreement'), textField(fields, 'file')].map(encodeURIComponent);
  return `/boletos/files/${agreement || '-'}/${file || '-'}`;
}
