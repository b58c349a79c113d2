// Reads a file of liquidations: JSON in a ZIP archive in Base64. The bank's document and its example name the fields differently, so both
// are read.

import { type BoletoAccount, sicoob } from '@trilho/cnab';
import { type CivilDay, civilDay, lastSecondOf } from '../../../lib/civil-days.ts';
import { earlierOf } from '../../../lib/clock.ts';
import { centsAt, readJson, textAt } from '../../bank-client/read-answer.ts';
import type { Receipt } from '../../rail.ts';
import { ownNumber } from './number.ts';
import { unzipOne } from './zip.ts';

const FIELDS = {
  number: ['numeroTitulo', 'numTitulo'],
  ownNumber: ['seuNumero', 'descSeuNumero'],
  movedOn: ['dataMovimentoLiquidacao', 'dataMovLiquidacao'],
  paidOn: ['dataLiquidacao'],
  creditedOn: ['dataPrevisaoCredito'],
  amount: ['valorLiquido'],
  fee: ['valorTarifaMovimento'],
  channel: ['idTipoOpFinanceira'],
  channelText: ['tipoOpFinanceira'],
} as const;

/** The code of «via pix», and of savings accounts too: the text beside it tells them apart. */
const PIX_OR_SAVINGS = '212';

function isByPix(row: unknown): boolean {
  const message = fieldOf(row, 'channelText');
  return fieldOf(row, 'channel') === PIX_OR_SAVINGS && (message === undefined || /\bpix\b/i.test(message));
}

/** The list in a file; undefined when it cannot be read. */
export function listIn(base64: string): readonly unknown[] | undefined {
  const bytes = Buffer.from(base64, 'base64');
  // The archive in the bank's own example was re-encoded as UTF-8 text.
  const file = unzipOne(bytes) ?? unzipOne(Buffer.from(bytes.toString('utf8'), 'latin1'));
  const list = file && readJson(file.toString('utf8'));
  return Array.isArray(list) ? list : undefined;
}

export type ReadReceipts = { readonly receipts: readonly Receipt[]; readonly unreadable: number };

/** How many liquidations of the same title, day and amount were read. */
export type Counts = Map<string, number>;

/**
 * The bank gives a liquidation no id. Agreement, title, day and amount identify it, with a count where several are equal. The bank lists
 * whole days in one or more files: with one `counts` for all of them the count is always the same.
 */
export function receiptsIn(
  list: readonly unknown[],
  account: BoletoAccount,
  now: Date,
  counts: Counts = new Map(),
): ReadReceipts {
  const receipts = list.flatMap(row => {
    const read = readRow(row, account, now);
    if (!read) return [];
    const count = (counts.get(read.reference) ?? 0) + 1;
    counts.set(read.reference, count);
    return count === 1 ? read : { ...read, reference: `${read.reference} ${count}` };
  });
  return { receipts, unreadable: list.length - receipts.length };
}

function readRow(row: unknown, account: BoletoAccount, now: Date): Receipt | undefined {
  const number = fieldOf(row, 'number');
  const paidDay = dayOf(row, 'paidOn') ?? dayOf(row, 'movedOn');
  const amountCents = moneyOf(row, 'amount');
  if (number === undefined || paidDay === undefined || amountCents === undefined || amountCents < 1n) return undefined;
  const own = ownNumber(account, number);
  const feeCents = moneyOf(row, 'fee');
  const creditDay = dayOf(row, 'creditedOn');
  return {
    // Titles of two agreements may have the same number.
    reference: `boleto ${sicoob.boleto.numberingOf(account)} ${number} ${dayOf(row, 'movedOn') ?? paidDay} ${amountCents}`,
    ...(own !== undefined && isOwn(row, own) && { requestReference: own }),
    ...(isByPix(row) && { isByPix: true }),
    amountCents,
    // The bank reports the day without a time.
    paidAt: earlierOf(lastSecondOf(paidDay), now),
    returns: [],
    ...(feeCents !== undefined && { feeCents }),
    ...(creditDay !== undefined && { creditDay }),
  };
}

/** A boleto registered by another program may have any own number with a nosso número of ours. */
function isOwn(row: unknown, number: string): boolean {
  const ownNumber = fieldOf(row, 'ownNumber')?.trim();
  return ownNumber === undefined || ownNumber.padStart(number.length, '0') === number;
}

function fieldOf(row: unknown, field: keyof typeof FIELDS): string | undefined {
  return FIELDS[field].map(name => textAt(row, name)).find(text => text !== undefined);
}

/** Amounts have four decimals in the bank's example. */
function moneyOf(row: unknown, field: 'amount' | 'fee'): bigint | undefined {
  return FIELDS[field].map(name => centsAt(row, name)).find(cents => cents !== undefined);
}

/** `2019-05-07T00:00:00-03:00`; the bank's example also has `2019-05-7T…`. */
function dayOf(row: unknown, field: 'movedOn' | 'paidOn' | 'creditedOn'): CivilDay | undefined {
  const [, year, month = '', day = ''] = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:T|$)/.exec(fieldOf(row, field) ?? '') ?? [];
  if (year === undefined) return undefined;
  const written = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const at = new Date(`${written}T15:00:00Z`);
  return Number.isNaN(at.getTime()) || civilDay(at) !== written ? undefined : written;
}
