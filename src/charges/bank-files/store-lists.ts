// The SQL of lists of files to banks and of instructions, newest first.
import type { PageQuery } from '../../lib/paging.ts';
import type { FileMovement } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import { type BoletoFile, FILE_COLUMNS, type FileRow, toFile } from './store-files.ts';

/** With the number of its unanswered instructions. */
type ListedFile = BoletoFile & { readonly open: number };

type Filter = { readonly agreement?: string };

const offsetOf = ({ page, pageSize }: PageQuery) => BigInt(page - 1) * BigInt(pageSize);

export async function readFilePage(
  sql: Sql,
  query: PageQuery,
  { agreement }: Filter,
): Promise<{ files: ListedFile[]; total: number }> {
  const rows = await sql.query<{ total: string; open: string } & (FileRow | { rail: null })>(
    `select total, page.*
       from (select count(*) as total from boleto_files where $3::text is null or rail = $3) counted
       left join lateral (
         select ${FILE_COLUMNS},
                (select count(*) from boleto_instructions i
                  where i.rail = f.rail and i.sequence = f.sequence and i.closed_at is null) as open
           from boleto_files f
          where $3::text is null or rail = $3
          order by made_at desc, rail, sequence desc limit $1 offset $2) page on true
      order by page.made_at desc, page.rail, page.sequence desc`,
    [query.pageSize, offsetOf(query), agreement],
  );
  const files = rows.flatMap(row => (row.rail === null ? [] : { ...toFile(row), open: Number(row.open) }));
  return { files, total: Number(rows[0]?.total ?? 0) };
}

export const INSTRUCTION_STATUSES = ['waiting', 'in_file', 'dropped'] as const;
export type InstructionStatus = (typeof INSTRUCTION_STATUSES)[number];

/** The columns of the indexes. */
const STATUS = 'boleto_instruction_status(sequence, dropped_at)';

type ListedInstruction = {
  readonly id: string;
  readonly accountId: string;
  readonly chargeId: string;
  readonly rail: string;
  readonly movement: FileMovement;
  readonly status: InstructionStatus;
  readonly createdAt: Date;
  /** The file that has it. */
  readonly sequence?: number;
};

const toInstruction = recordOf<ListedInstruction>(
  'id, account_id, charge_id, rail, movement, created_at, sequence, status',
);

/** The total comes from kept counts: the rows before the page are skipped, and those behind it are not read. */
export async function readInstructionPage(
  sql: Sql,
  query: PageQuery,
  { agreement, status }: Filter & { readonly status?: InstructionStatus },
): Promise<{ instructions: ListedInstruction[]; total: number }> {
  // Each combination of filters is a separate statement with its own index.
  const values: string[] = [];
  const equals = (value: string | undefined) => value !== undefined && `= $${values.push(value) + 2}`;
  const [isOfRail, isOfStatus] = [equals(agreement), equals(status)];
  const conditions = (statusSql: string) =>
    ['true', isOfRail && `rail ${isOfRail}`, isOfStatus && `${statusSql} ${isOfStatus}`].filter(Boolean).join(' and ');
  const rows = await sql.query<{ total: string } & (RowOf<ListedInstruction> | { id: null })>(
    `with counted as (
       select coalesce(sum(instructions), 0) as total
         from (select * from boleto_instruction_counts union all select * from boleto_instruction_changes) kept
        where ${conditions('status')}),
     listed as (
       select id, account_id, charge_id, rail, movement, created_at, sequence, ${STATUS} as status
         from boleto_instructions
        where ${conditions(STATUS)}
        order by id desc limit $1 offset $2)
     select total, listed.* from counted left join listed on true order by listed.id desc`,
    [query.pageSize, offsetOf(query), ...values],
  );
  const instructions = rows.flatMap(row => (row.id === null ? [] : toInstruction(row)));
  return { instructions, total: Number(rows[0]?.total ?? 0) };
}
