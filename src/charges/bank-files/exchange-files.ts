// Transfers files to and from the SFTP servers of banks, one node at a time for each agreement. A file counts as sent once it has its
// final name there, and a return as fetched once it was read: a run that is killed repeats at most one of each, with the same bytes.
import { createHash } from 'node:crypto';
import { CnabError } from '@trilho/cnab';
import { civilDay, momentOn } from '../../lib/civil-days.ts';
import { AppError, isOutage } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Beat, startLoop } from '../../lib/loop.ts';
import { outgoingName } from '../../rails/cnab-boleto/folder.ts';
import type { FileConnection, FileServer, RemoteFile } from '../../rails/file-server.ts';
import { allRails, type Rails } from '../../rails/rails.ts';
import { betweenSteps, whenDue, withLease } from '../../storage/leases.ts';
import { fileParts, type MakeDeps } from './make-file.ts';
import { requireBytes, takeFiles } from './offer-files.ts';
import { type ReadDeps, readReturn } from './read-return.ts';
import { warnOfEntries } from './return-entries.ts';
import { endExchange, failExchange, findDueExchange, findFetched, insertFetched } from './store-exchanges.ts';
import { type BoletoFile, findFile, markOffered } from './store-files.ts';

export type ExchangeDeps = MakeDeps & ReadDeps & { readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

export type Exchanged = {
  readonly rail: string;
  readonly sent: readonly number[];
  readonly fetched: readonly Fetched[];
};
/** A file of the server. `refusal`: it is not a return of the agreement. `failure`: reading it failed and is retried later. */
type Fetched = {
  readonly name: string;
  readonly entries: number;
  readonly refusal?: string;
  readonly failure?: string;
};

const PAUSE_MS = 5_000;
/** Delay after a failed exchange, unless the next one is due earlier. */
const RETRY_MS = 5 * 60_000;
/** Any further ones wait for the next exchange. */
const MAX_FETCHED = 200;

type Served = { readonly rail: string; readonly server: FileServer };

export function startExchangingFiles(deps: ExchangeDeps): { stop(): Promise<void> } {
  const loops = servedRails(deps.rails).map(served =>
    startLoop({
      name: `exchanging files of ${served.rail}`,
      task: async (_signal, beat) => {
        await exchangeWhenDue(deps, served, beat);
      },
      pauseMs: PAUSE_MS,
      // One large file from a slow server may take an hour; the node counts as ready meanwhile.
      longestRunMs: Number.POSITIVE_INFINITY,
      heartbeats: deps.heartbeats,
      log: deps.log,
    }),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

/** Exchanges files with every server that is due, and returns how many were. */
export async function exchangeDueFiles(deps: ExchangeDeps): Promise<number> {
  let count = 0;
  for (const served of servedRails(deps.rails)) if (await exchangeWhenDue(deps, served)) count++;
  return count;
}

/**
 * Exchanges files now, regardless of the schedule; `again` sends a file that was offered before once more. Refuses an agreement without a
 * server, one whose files another node is exchanging, and an unknown file number.
 */
export async function exchangeNow(deps: ExchangeDeps, rail: string, again?: number): Promise<Exchanged> {
  const served = servedRails(deps.rails).find(one => one.rail === rail);
  if (!served) throw new AppError('not_configured', `${rail} has no sftp: set it, or transfer its files by hand.`);
  const file = again === undefined ? undefined : await findFile(deps.db, { rail, sequence: again });
  if (again !== undefined && !file) throw new AppError('not_found', `There is no file ${again} of ${rail}.`);
  if (file) requireBytes(file);
  const exchanged = await withLease(deps.db, leaseOf(served), lost =>
    exchange(deps, served, { lost, sends: true, again: file }),
  );
  if (!exchanged) throw new AppError('wrong_state', `Another node is exchanging files of ${rail} right now.`);
  return exchanged;
}

const leaseOf = ({ rail }: Served) => `exchange ${rail}`;

function servedRails(rails: Rails): Served[] {
  return allRails(rails).flatMap(({ name, files }) => (files?.server ? { rail: name, server: files.server } : []));
}

async function exchangeWhenDue(deps: ExchangeDeps, served: Served, beat?: Beat): Promise<boolean> {
  const { db, clock, log } = deps;
  const { rail, server } = served;
  const findDue = () => findDueExchange(db, rail, clock.now());
  const hasMet = await whenDue(db, leaseOf(served), findDue, async ({ exchangedAt }, lost) => {
    try {
      await exchange(deps, served, { lost, beat, sends: isSendingDue(server.sendAt, exchangedAt, clock.now()) });
    } catch (error) {
      if (!isOutage(error)) throw error;
      log.warn('exchanging files with the bank failed; it is retried', { rail, error });
    }
    return true;
  });
  return hasMet ?? false;
}

/** Whether a scheduled time of day has passed since the last exchange. */
export function isSendingDue(times: readonly string[] | undefined, last: Date | undefined, now: Date): boolean {
  if (!times || !last) return true;
  const days = [...new Set([civilDay(last), civilDay(now)])];
  return days.some(day =>
    times.some(time => {
      const [hours = 0, minutes = 0] = time.split(':').map(Number);
      const at = new Date(momentOn(day, hours).getTime() + minutes * 60_000);
      return at > last && at <= now;
    }),
  );
}

type Run = {
  readonly lost: AbortSignal;
  readonly beat?: Beat | undefined;
  readonly sends: boolean;
  /** A file that was offered before. */
  readonly again?: BoletoFile | undefined;
};

async function exchange(deps: ExchangeDeps, { rail, server }: Served, run: Run): Promise<Exchanged> {
  const { db, clock } = deps;
  const { lost } = run;
  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);
  try {
    const connection = await server.connect();
    try {
      // Returns first: an instruction the bank has already answered need not be sent.
      const fetched = await fetchReturns(deps, rail, connection, run);
      const sent = run.sends ? await sendFiles(deps, rail, connection, run) : [];
      lost.throwIfAborted();
      await endExchange(db, rail, clock.now(), inMs(server.everyMs));
      const failed = fetched.find(({ failure }) => failure !== undefined);
      if (failed?.failure) await failExchange(db, rail, failed.failure, inMs(Math.min(server.everyMs, RETRY_MS)));
      return { rail, sent, fetched };
    } finally {
      await connection.close();
    }
  } catch (error) {
    // Another node has taken over the agreement and records the result.
    lost.throwIfAborted();
    const message = error instanceof AppError ? error.message : 'It failed.';
    await failExchange(db, rail, message, inMs(Math.min(server.everyMs, RETRY_MS)));
    throw error;
  }
}

async function sendFiles(
  deps: ExchangeDeps,
  rail: string,
  connection: FileConnection,
  { lost, beat, again }: Run,
): Promise<number[]> {
  const beforeFile = betweenSteps(lost, beat);
  lost.throwIfAborted();
  const sent = new Set<number>();
  const send = async (file: BoletoFile) => {
    beforeFile();
    const parts = fileParts(deps.db, file);
    await connection.put({ name: outgoingName(rail, file.sequence), digest: file.digest, parts }, lost);
    sent.add(file.sequence);
  };
  if (again) {
    await send(again);
    await markOffered(deps.db, again, deps.clock.now());
  }
  await takeFiles(deps, rail, send);
  return [...sent];
}

async function fetchReturns(
  deps: ExchangeDeps,
  rail: string,
  connection: FileConnection,
  { lost, beat }: Run,
): Promise<Fetched[]> {
  const beforeFile = betweenSteps(lost, beat);
  const listed = await connection.list();
  const known = await findFetched(deps.db, rail, listed, settingsOf(deps.rails));
  const unknown = listed.filter(file => !known.has(file));
  const fetched: Fetched[] = [];
  for (const file of unknown.slice(0, MAX_FETCHED)) {
    beforeFile();
    fetched.push(await fetchReturn(deps, rail, connection, file).catch(error => failed(deps, rail, file, error)));
  }
  return fetched;
}

/** A file that cannot be read stops neither the other files nor the sending. */
function failed({ log }: ExchangeDeps, rail: string, { name }: RemoteFile, error: unknown): Fetched {
  if (isOutage(error) || error instanceof AppError) throw error;
  log.error('a return of the bank could not be read; it is retried', { rail, error });
  return { name, entries: 0, failure: `The return ${name} could not be read: the log says why.` };
}

/** The settings of all agreements: which one a file belongs to depends on all of them. */
function settingsOf(rails: Rails): string {
  const all = allRails(rails).flatMap(({ name, files }) => (files ? `${name} ${files.settings}` : []));
  return createHash('sha256').update(all.sort().join('\n')).digest('hex');
}

async function fetchReturn(
  deps: ExchangeDeps,
  rail: string,
  connection: FileConnection,
  file: RemoteFile,
): Promise<Fetched> {
  const bytes = await connection.fetch(file);
  const result = bytes ? await readOrRefuse(deps, rail, bytes) : { refusal: 'The file is too large.' };
  await insertFetched(deps.db, rail, file, result, deps.clock.now(), settingsOf(deps.rails));
  if ('refusal' in result) {
    // A file that the bank is still writing has another size next time, and is read again.
    deps.log.warn('a file from the bank is not a return of the agreement', { rail, reason: result.refusal });
    return { name: file.name, entries: 0, refusal: result.refusal };
  }
  return { name: file.name, entries: result.entries };
}

async function readOrRefuse(deps: ExchangeDeps, rail: string, bytes: Buffer) {
  try {
    const read = await readReturn(deps, bytes, rail);
    warnOfEntries(deps.log, read);
    const { file } = read;
    return { returnId: file.id, entries: file.booked };
  } catch (error) {
    if (error instanceof CnabError) return { refusal: error.message };
    throw error;
  }
}
