// Learns of payments at Sicoob. The bank lists them by days: it is asked to prepare a list, then whether the list is ready, and delivers it
// as files.
import { setTimeout as wait } from 'node:timers/promises';
import { addDays, type CivilDay, civilDay, daysBetween } from '../../../lib/civil-days.ts';
import { earlierOf } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Answer } from '../../bank-client/classify.ts';
import type { Client } from '../../bank-client/client.ts';
import { listAt, textAt } from '../../bank-client/read-answer.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import { unanswered } from '../../bank-client/unanswered.ts';
import type { Receipt, ReceiptPage, ReceiptsByTime } from '../../rail.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { type Counts, listIn, type ReadReceipts, receiptsIn } from './movements.ts';
import { agreementFields } from './number.ts';

/** A list takes three calls and some work at the bank, and payments are credited by the day. */
const EVERY_MS = 5 * 60_000;
/** The most days that one list may cover. */
const DAYS_OF_LIST = 2;
/** A payment may be listed on the day after it was made. */
const DAYS_BEFORE = 1;
const LIQUIDATIONS = 5;
/** How long to wait for a list; what is not ready by then is asked for at the next look. */
const WAITS_MS = [250, 500, 1_000, 2_000, 4_000] as const;
/** A list that is still missing after this time counts as empty: the API does not distinguish the two. */
const EMPTY_AFTER_MS = 15 * 60_000;
const MAX_FILES = 1_000;

type Days = { readonly from: CivilDay; readonly to: CivilDay };
/** A list that the bank prepares. */
type Asked = { readonly code: string; readonly atMs: number };

export function sicoobWatch(
  { name, account }: BoletoApiSettings,
  { call }: Client<BoletoResource>,
  { clock, log }: ClientDeps,
): ReceiptsByTime {
  const agreement = { numeroCliente: agreementFields(account).numeroCliente };
  /** Lists that were not ready, by day. */
  const waiting = new Map<string, Asked>();

  async function ask({ from, to }: Days): Promise<Asked> {
    const key = `${from} ${to}`;
    const known = waiting.get(key);
    if (known) return known;
    const body = { ...agreement, tipoMovimento: LIQUIDATIONS, dataInicial: from, dataFinal: to };
    const answer = await call({ method: 'POST', resource: 'boletos', path: ['movimentacoes'], body });
    const code = textAt(answered(answer), 'resultado.codigoSolicitacao');
    if (code === undefined) throw new AppError('rail_unavailable', 'The bank gave no code for a list of payments.');
    const asked = { code, atMs: clock.now().getTime() };
    waiting.set(key, asked);
    return asked;
  }

  /** The ids of the files of a list. While it is not ready the bank prepares `others` too: each empty one takes a while. */
  async function filesOf(
    days: Days,
    others: readonly Days[],
  ): Promise<{ readonly code: string; readonly files: readonly string[] }> {
    const { code, atMs } = await ask(days);
    const isEmptyByNow = () => clock.now().getTime() - atMs >= EMPTY_AFTER_MS;
    for (const waitMs of isEmptyByNow() ? [0] : [0, ...WAITS_MS]) {
      if (waitMs > 0) await wait(waitMs);
      const answer = await call({
        method: 'GET',
        resource: 'boletos',
        path: ['movimentacoes'],
        query: { numeroCliente: String(agreement.numeroCliente), codigoSolicitacao: code },
      });
      const body = answered(answer);
      if (body === undefined) continue;
      waiting.delete(`${days.from} ${days.to}`);
      const ids = listAt(body, 'resultado.idArquivos').map(String);
      if (ids.length > MAX_FILES) throw new AppError('rail_unavailable', 'The bank has too many files of payments.');
      return { code, files: ids };
    }
    if (!isEmptyByNow()) {
      for (const other of others) await ask(other);
      throw new AppError('rail_unavailable', 'The bank is still preparing its list of payments.');
    }
    waiting.delete(`${days.from} ${days.to}`);
    return { code, files: [] };
  }

  async function readFile(code: string, file: string, counts: Counts): Promise<ReadReceipts> {
    const answer = await call({
      method: 'GET',
      resource: 'boletos',
      path: ['movimentacoes', 'download'],
      query: { numeroCliente: String(agreement.numeroCliente), codigoSolicitacao: code, idArquivo: file },
    });
    const list = listIn(textAt(answered(answer), 'resultado.arquivo') ?? '');
    if (!list) throw new AppError('rail_unavailable', 'The bank gave a file of payments that cannot be read.');
    const read = receiptsIn(list, account, clock.now(), counts);
    if (read.unreadable > 0) {
      log.error('the bank lists payments that cannot be read; look for them at the bank', {
        rail: name,
        count: read.unreadable,
      });
    }
    return read;
  }

  async function readDays(days: Days, others: readonly Days[] = []): Promise<ReadReceipts> {
    const { code, files } = await filesOf(days, others);
    const receipts: Receipt[] = [];
    const counts: Counts = new Map();
    let unreadable = 0;
    for (const file of new Set(files)) {
      const read = await readFile(code, file, counts);
      receipts.push(...read.receipts);
      unreadable += read.unreadable;
    }
    return { receipts, unreadable };
  }

  return {
    by: 'time',
    everyMs: EVERY_MS,
    receipts: async (from, to, cursor) => {
      const last = civilDay(earlierOf(to, clock.now()));
      const first = cursor ?? addDays(civilDay(from), -DAYS_BEFORE);
      if (first > last) return { receipts: [] };
      const [list, ...others] = listsOf(first, last);
      const read = await readDays(list!, others);
      return { ...read, ...(others[0] && { next: others[0].from }) } satisfies ReceiptPage;
    },
    receipt: async reference => {
      const [, day] = /^boleto [\d ]+ (\d{4}-\d{2}-\d{2}) \d+(?: \d+)?$/.exec(reference) ?? [];
      if (day === undefined) return undefined;
      const { receipts } = await readDays({ from: day, to: day });
      return receipts.find(receipt => receipt.reference === reference);
    },
    hints: () => [],
  };
}

/** A period of days, split into parts that one list can cover. */
function listsOf(first: CivilDay, last: CivilDay): Days[] {
  const lists: Days[] = [];
  for (let from = first; from <= last; from = addDays(from, DAYS_OF_LIST)) {
    lists.push({ from, to: addDays(from, Math.min(DAYS_OF_LIST - 1, daysBetween(from, last))) });
  }
  return lists;
}

/** The body of an answer; undefined when it has no content. */
function answered(answer: Answer): unknown {
  if (answer.kind === 'ok') return answer.status === 204 ? undefined : answer.body;
  throw unanswered(answer);
}
