// All imported files of banks, statements and return files of boletos, in one list, newest first.
import { countPages, type PageQuery } from '../../lib/paging.ts';
import type { StatementFormat } from '../../rails/statement/statement.ts';
import type { Sql } from '../../storage/database.ts';
import type { ReturnOutcome } from '../bank-files/store-returns.ts';
import type { ImportCounts } from './statement.ts';

export type BankFile = {
  readonly id: string;
  readonly takenAt: Date;
  readonly takenBy: string;
  /** Lines that could not be read or look wrong. */
  readonly faults: number;
} & (
  | { readonly format: StatementFormat; readonly counts: ImportCounts }
  | {
      readonly format: 'cnab';
      readonly agreement: string;
      readonly sequence: number;
      /** False: the reading was interrupted, and continues when the file is sent again. */
      readonly isFinished: boolean;
      readonly counts: Readonly<Partial<Record<ReturnOutcome, number>>>;
    }
);

type FileRow = { total: string; id: string | null; taken_at: Date; taken_by: string; faults: number } & (
  | { format: StatementFormat; counts: ImportCounts }
  | {
      format: 'cnab';
      agreement: string;
      sequence: number;
      is_finished: boolean;
      counts: Partial<Record<ReturnOutcome, number>> | null;
    }
);

/** The outcomes of a return file are counted for the files of the page alone. */
export async function listBankFiles({ db }: { readonly db: Sql }, query: PageQuery) {
  const { page, pageSize } = query;
  const rows = await db.query<FileRow>(
    `select total, page.id, page.taken_at, page.taken_by, page.format, page.faults, page.agreement, page.sequence,
            page.is_finished, coalesce(page.counts, outcomes.counts) as counts
       from (select (select count(*) from statement_imports) + (select count(*) from boleto_returns) as total) counted
       left join lateral (
         select id, imported_at as taken_at, imported_by as taken_by, format, faults, null as agreement,
                null::int as sequence, true as is_finished, counts
           from statement_imports
         union all
         select id, received_at, received_by, 'cnab', jsonb_array_length(warnings), rail, sequence,
                finished_at is not null, null
           from boleto_returns
          order by taken_at desc, id desc limit $1 offset $2) page on true
       left join lateral (
         select jsonb_object_agg(outcome, entries) as counts
           from (select outcome, count(*) as entries from boleto_return_entries where return_id = page.id group by outcome) e
       ) outcomes on page.format = 'cnab'
      order by page.taken_at desc, page.id desc`,
    [pageSize, BigInt(page - 1) * BigInt(pageSize)],
  );
  return { files: rows.flatMap(toFile), ...countPages(Number(rows[0]?.total ?? 0), query) };
}

/** No files for an empty page, whose only row has the total. */
function toFile(row: FileRow): BankFile[] {
  const { id, taken_at: takenAt, taken_by: takenBy, faults } = row;
  if (id === null) return [];
  const common = { id, takenAt, takenBy, faults };
  if (row.format !== 'cnab') return [{ ...common, format: row.format, counts: row.counts }];
  const { format, agreement, sequence, is_finished: isFinished, counts } = row;
  return [{ ...common, format, agreement, sequence, isFinished, counts: counts ?? {} }];
}
