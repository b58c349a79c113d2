// A boleto at the bank, with the behaviour that is the same for every API: who may pay it, what it costs, how it ends.
import { leftOn } from '../amount-due.ts';
import { nextBankingDay } from '../banking-days.ts';
import type { Core } from '../core.ts';
import { type CivilDay, civilDay, daysBetween } from '../days.ts';
import { PspRefusal } from '../payer.ts';
import type { PixRecord } from '../pix-record.ts';
import { type Channel, change, current, type Title } from '../state.ts';
import { barcodeOf, lineOf } from './line.ts';

export type TitlePayment = {
  /** One of them: the digitable line, the barcode, or the bank's number. */
  readonly line?: string;
  readonly barcode?: string;
  readonly number?: string;
  /** By default the amount owed on the day. */
  readonly cents?: bigint;
  readonly at?: Date;
  /** The day on which the bank lists it; that of the payment when absent. */
  readonly listedOn?: CivilDay;
  /** Pays even a paid, written off or expired boleto, as a payment in flight may. */
  readonly force?: boolean;
};

function findTitle(core: Core, { line, barcode, number }: TitlePayment): Title {
  const wanted = line?.replace(/\D/g, '');
  for (const title of core.state.titles.values()) {
    if (title.line === wanted || title.barcode === barcode || title.number === number) return title;
  }
  throw new PspRefusal('not_found', 'No boleto has this line or number.');
}

/** Pays the line. This ends the pix code of the boleto too. */
export function payTitle(core: Core, payment: TitlePayment): Title {
  const title = findTitle(core, payment);
  const at = payment.at ?? core.now();
  if (!payment.force) requirePayable(title, at);
  liquidate(title, at, payment.cents ?? owedOn(title, civilDay(at)), 'line', payment.listedOn);
  endPix(core, title);
  core.titleChanged(title);
  return title;
}

/** A received pix: if it pays the code of a boleto, it pays the boleto. */
export function titlePaidByPix(core: Core, { txid, clientId, valor, horario }: PixRecord): void {
  if (txid === undefined) return;
  for (const title of core.state.titles.values()) {
    if (title.clientId !== clientId || title.pix?.charge.txid !== txid) continue;
    liquidate(title, horario, BigInt(valor.replace('.', '')), 'pix', undefined);
    core.titleChanged(title);
  }
}

function liquidate(title: Title, at: Date, cents: bigint, channel: Channel, listedOn: CivilDay | undefined): void {
  title.liquidations.push({ at, cents, channel, listedOn: listedOn ?? civilDay(at) });
}

/** The bank has finished processing it. */
export function opened(core: Core, title: Title): void {
  if (title.failure !== undefined) endPix(core, title);
  core.titleChanged(title);
}

/** Another due day: it is part of the barcode, and the code of the boleto asks for what is owed by it. */
export function setDays(core: Core, title: Title, { dueOn, lastDay }: Pick<Title, 'dueOn' | 'lastDay'>): void {
  const { barcode, cents, pix } = title;
  title.dueOn = dueOn;
  title.lastDay = lastDay;
  title.barcode = barcodeOf({ bank: barcode.slice(0, 3), dueOn, cents, freeField: barcode.slice(19) });
  title.line = lineOf(title.barcode);
  if (!pix || current(pix.charge).status !== 'ATIVA') return;
  const { body } = current(pix.charge);
  const calendario = { dataDeVencimento: dueOn, validadeAposVencimento: Math.max(0, daysBetween(dueOn, lastDay)) };
  change(pix.charge, core.now(), { body: { ...body, calendario } });
}

export function endPix(core: Core, { pix }: Title): void {
  if (pix && current(pix.charge).status === 'ATIVA') change(pix.charge, core.now(), { status: 'REMOVIDA_PELO_PSP' });
}

function requirePayable(title: Title, at: Date): void {
  if (title.liquidations.length > 0) throw new PspRefusal('paid', 'The boleto is paid.');
  if (title.writtenOff) throw new PspRefusal('removed', 'The boleto was written off.');
  if (title.failure !== undefined || title.processing > 0) {
    throw new PspRefusal('not_found', 'The boleto is not registered.');
  }
  if (civilDay(at) > nextBankingDay(title.lastDay)) throw new PspRefusal('expired', 'The boleto is too old.');
}

const HUNDREDTHS = 10_000n;
const DAYS_OF_MONTH = 30n;

/** A due day without banks moves to the next one with them; a payment after that owes interest from the due day itself. */
function owedOn({ cents, reductions, dueOn, fine, interest }: Title, day: CivilDay): bigint {
  const { base, final } = leftOn(cents, reductions, dueOn, day);
  if (day <= nextBankingDay(dueOn)) return final;
  const days = BigInt(daysBetween(dueOn, day));
  return base + (base * fine) / HUNDREDTHS + (base * interest * days) / (HUNDREDTHS * DAYS_OF_MONTH);
}
