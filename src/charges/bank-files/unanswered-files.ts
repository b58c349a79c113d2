// Files to banks that remain unanswered: the bank never received them, or its return was not fetched.
import { addBankingDays } from '../../lib/banking-days.ts';
import { civilDay, DAY_MS } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { allRails, type Rails } from '../../rails/rails.ts';
import type { Sql } from '../../storage/database.ts';
import { type OpenFile, readOpenFiles } from './store-answers.ts';

/** More instructions of a file are not counted. */
const COUNT_LIMIT = 10_000;

type Deps = { readonly db: Sql; readonly rails: Rails; readonly clock: Clock };

/** Those whose time to answer (`answerDays` of the agreement) has passed, oldest first for each agreement. */
export async function readUnanswered({ db, rails, clock }: Deps): Promise<OpenFile[]> {
  if (!allRails(rails).some(({ files }) => files)) return [];
  const now = clock.now();
  return overdueFiles(rails, await readOldFiles(db, now), now);
}

/** Those with open instructions that may be overdue under any agreement. */
export function readOldFiles(db: Sql, now: Date): Promise<OpenFile[]> {
  return readOpenFiles(db, new Date(now.getTime() - DAY_MS), COUNT_LIMIT);
}

export function overdueFiles(rails: Rails, files: readonly OpenFile[], now: Date): OpenFile[] {
  const limits = new Map(allRails(rails).flatMap(({ name, files: own }) => (own ? [[name, own.answerDays]] : [])));
  const today = civilDay(now);
  return files.filter(({ rail, madeAt }) => {
    const days = limits.get(rail);
    return days !== undefined && today > addBankingDays(civilDay(madeAt), days);
  });
}

/** Such as «file 7: 42 instructions without an answer since 2026-11-12, and it was not offered». */
export function unansweredMessage({ sequence, open, madeAt, offeredAt }: OpenFile): string {
  const many = open === 1 ? '1 instruction' : `${open} instructions`;
  const unoffered = offeredAt ? '' : ', and it was not offered';
  return `file ${sequence}: ${many} without an answer since ${civilDay(madeAt)}${unoffered}`;
}
