// Events, ledger, audit log and unmatched money as CSV.

import type { FastifyInstance } from 'fastify';
import { EntriesQuery } from '../../api/ledger.ts';
import { listUnmatched } from '../../charges/unmatched/list.ts';
import { readNewestEvents } from '../../events/store-newest.ts';
import { entryFilter, isOfOneObject } from '../../http/routes/ledger.ts';
import { accountOf } from '../../http/server/auth.ts';
import { listEntries } from '../../ledger/list.ts';
import { recordReading } from '../../storage/audit.ts';
import { readAuditLines } from '../../storage/audit-list.ts';
import type { Database } from '../../storage/database.ts';
import type { ListDeps } from './charges.ts';
import { type Columns, pageReader, sendCsv, walkBack, walkPages, walkPositions } from './csv.ts';
import { readFilters } from './filters.ts';
import { AuditFilter, EventsFilter } from './records.ts';

export function recordExports(app: FastifyInstance, deps: ListDeps & { readonly db: Database }): void {
  const options = { schema: { hide: true } } as const;

  app.get('/dashboard/events.csv', options, async (request, reply) => {
    const { type, ...rest } = readFilters(EventsFilter, request);
    const accountId = accountOf(request.caller, rest.accountId);
    const read = pageReader(deps, request, reply);
    const pages = walkPositions((before, limit) =>
      read(db => readNewestEvents(db, { accountId, type, before, limit })),
    );
    return sendCsv(reply, 'events', EVENT_COLUMNS, pages);
  });

  app.get('/dashboard/audit.csv', options, async (request, reply) => {
    const { actor } = readFilters(AuditFilter, request);
    const read = pageReader(deps, request, reply);
    const pages = walkPositions((before, limit) => read(db => readAuditLines(db, { before, limit })));
    return sendCsv(reply, 'audit', AUDIT_COLUMNS, linesBy(actor, pages));
  });

  /** A row for each line of an entry, so that a spreadsheet can sum them. */
  app.get('/dashboard/ledger.csv', options, async (request, reply) => {
    const query = entryFilter(readFilters(EntriesQuery, request), request.caller, deps.pageSize);
    const read = pageReader(deps, request, reply, { isFresh: isOfOneObject(query) });
    const pages = walkBack(
      deps.clock.now(),
      query,
      async page => (await read(db => listEntries({ db }, { ...query, ...page }))).entries,
      ({ id, at }) => ({ id, at }),
    );
    return sendCsv(reply, 'ledger', LINE_COLUMNS, linesOf(pages));
  });

  const onRecord = { config: { isOnRecord: true }, ...options } as const;
  app.get('/dashboard/unmatched.csv', onRecord, async (_, reply) => {
    await recordReading(deps.db);
    const pages = walkPages(async page => {
      const { payments, hasMore } = await listUnmatched(deps, page);
      return { rows: payments, hasMore };
    });
    return sendCsv(reply, 'unmatched', RECEIPT_COLUMNS, pages);
  });
}

type ListedEntry = Awaited<ReturnType<typeof listEntries>>['entries'][number];
type ListedLine = { readonly entry: ListedEntry; readonly line: ListedEntry['lines'][number] };

type AuditLine = Awaited<ReturnType<typeof readAuditLines>>[number];

/** Reads all lines: the log has no index of actors. */
async function* linesBy(
  actor: string | undefined,
  pages: AsyncIterable<readonly AuditLine[]>,
): AsyncGenerator<readonly AuditLine[]> {
  for await (const lines of pages) yield lines.filter(line => actor === undefined || line.actor === actor);
}

async function* linesOf(pages: AsyncIterable<readonly ListedEntry[]>): AsyncGenerator<readonly ListedLine[]> {
  for await (const entries of pages) yield entries.flatMap(entry => entry.lines.map(line => ({ entry, line })));
}

const EVENT_COLUMNS: Columns<Awaited<ReturnType<typeof readNewestEvents>>[number]> = {
  id: event => event.id,
  type: event => event.type,
  object: event => event.objectId,
  account: event => event.accountId,
  occurred: event => event.occurredAt.toISOString(),
};

const AUDIT_COLUMNS: Columns<AuditLine> = {
  position: line => line.position,
  at: line => line.at.toISOString(),
  actor: line => line.actor,
  action: line => line.action,
  object: line => line.objectId,
  request: line => line.requestId,
  hash: line => line.hash,
};

const LINE_COLUMNS: Columns<ListedLine> = {
  entry: ({ entry }) => entry.id,
  kind: ({ entry }) => entry.kind,
  at: ({ entry }) => entry.at,
  account: ({ entry }) => entry.accountId,
  charge: ({ entry }) => entry.chargeId,
  order: ({ entry }) => entry.transactionId,
  book: ({ line }) => line.book,
  currency: ({ line }) => line.currency,
  amount: ({ line }) => line.amount,
};

const RECEIPT_COLUMNS: Columns<Awaited<ReturnType<typeof listUnmatched>>['payments'][number]> = {
  reference: payment => payment.reference,
  posted: payment => payment.postedAt,
  amount: ({ amountCents }) => (amountCents === undefined ? '' : (amountCents / 100).toFixed(2)),
  words: payment => payment.words,
  reason: payment => payment.reason,
  'duplicate of': payment => payment.duplicateOf,
};
