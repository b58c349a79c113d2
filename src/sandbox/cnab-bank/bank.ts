// A simulated bank that registers boletos from CNAB 240 files and answers by files. It is as strict as banks are, and has its own copy of
// their layouts: nothing here comes from the tables that the service uses to write and read.
import { createHash } from 'node:crypto';
import type { CivilDay } from '../../lib/civil-days.ts';
import { RULES } from './banks.ts';
import { at, centsIn, dayIn } from './columns.ts';
import type { Customer } from './customer.ts';
import { reasonsAgainst } from './judge-title.ts';
import { abatementIn, hasDiscount } from './reductions.ts';
import { type News, type ReportedTitle, type ReturnHead, returnFile } from './return-file.ts';
import type { BankRules } from './rules.ts';
import { FileRefused, type Records, takeFile } from './take-file.ts';

export type BankTitle = ReportedTitle & {
  readonly status: 'open' | 'paid' | 'written_off';
  /** The last payment. */
  readonly paidCents: bigint;
};

/** All that the bank remembers. */
export type BankState = {
  /** The digests of the last files by their sequence. */
  readonly files: Readonly<Record<string, string>>;
  readonly returns: number;
  /** By the field of the nosso número. */
  readonly titles: Readonly<Record<string, BankTitle>>;
  /** What the next return will report. */
  readonly news: readonly News[];
};

export const NEW_BANK: BankState = { files: {}, returns: 0, titles: {}, news: [] };

type Taken = { readonly sequence: number; readonly isRepeat: boolean; readonly titles: number };

export type CnabBank = {
  state(): BankState;
  /** Throws FileRefused for a file that is refused as a whole. The same file again changes nothing. */
  take(bytes: Buffer, today: CivilDay): Taken;
  pay(number: string, payment: BankPayment): void;
  writeOff(number: string, day: CivilDay, reason: string): void;
  /** Whether it reports reversals of payments. */
  readonly reportsReversals: boolean;
  /** Reverses a payment. */
  reverse(number: string, day: CivilDay): void;
  /** Reports any other occurrence of a title without changing it: a fee, a confirmation, a refusal. */
  report(number: string, occurrence: string, day: CivilDay, more?: Partial<News>): void;
  /** A file with all reports since the last return. */
  makeReturn(head: Omit<ReturnHead, 'sequence'>): Buffer;
};

type BankPayment = {
  readonly day: CivilDay;
  readonly amountCents: bigint;
  readonly creditDay?: CivilDay;
  readonly feeCents?: bigint;
  /** How it was paid: `03` cash at the counter, `61` pix. */
  readonly channel?: string;
};

/** «Código de movimento» of files to the bank. */
const REGISTER = '01';
const WRITE_OFF = '02';
const CHANGE_DUE_DAY = '06';
const BY_FILE = '10';
/** An older file that arrives again is refused because of its number. */
const KEPT_FILES = 100;

/** `rules` are for a bank that is not simulated here. */
export function openBank(customer: Customer, before = NEW_BANK, rules = RULES[customer.bank]): CnabBank {
  if (!rules) throw new Error(`bank ${customer.bank} is not simulated`);
  let { files, returns } = before;
  const titles = new Map(Object.entries(before.titles));
  let news = [...before.news];

  const report = (title: ReportedTitle, occurrence: string, day: CivilDay, more: Partial<News> = {}) => {
    news.push({ occurrence, reasons: [], day, paidCents: 0n, feeCents: 0n, title, ...more });
  };
  const known = (number: string): BankTitle => {
    const title = titles.get(number);
    if (!title) throw new Error(`the bank has no title ${number.trim()}`);
    return title;
  };
  const register = (title: ReportedTitle, records: Records, today: CivilDay) => {
    const against = reasonsAgainst(customer, rules, records, today);
    const reasons = titles.has(title.number) ? ['09'] : against;
    if (reasons.length > 0) return report(title, '03', today, { reasons });
    titles.set(title.number, { ...title, status: 'open', paidCents: 0n });
    report(title, '02', today);
  };
  const instruct = (asked: ReportedTitle, movement: string, today: CivilDay) => {
    const title = titles.get(asked.number);
    const refuse = (reason: string) => report(asked, rules.codes.refused, today, { reasons: [reason] });
    if (!title) return refuse('60');
    if (title.status !== 'open') return refuse(title.status === 'paid' ? 'A5' : 'A7');
    if (movement === WRITE_OFF) {
      titles.set(title.number, { ...title, status: 'written_off' });
      return report(title, '09', today, { reasons: [BY_FILE] });
    }
    if (movement !== CHANGE_DUE_DAY) return refuse('05');
    if (asked.dueDay === undefined || asked.dueDay < today) return refuse('16');
    const changed = { ...title, dueDay: asked.dueDay };
    titles.set(title.number, changed);
    return report(changed, '14', today);
  };

  return {
    reportsReversals: rules.codes.reversed !== undefined,
    state: () => ({ files, returns, titles: Object.fromEntries(titles), news }),
    take(bytes, today) {
      const file = takeFile(customer, rules, bytes, today);
      const digest = createHash('sha256').update(bytes).digest('hex');
      const taken = { sequence: file.sequence, titles: file.titles.length };
      if (files[file.sequence] === digest) return { ...taken, isRepeat: true };
      if (Object.keys(files).some(sequence => Number(sequence) >= file.sequence)) {
        throw new FileRefused(`sequence ${file.sequence} was used before`, 1);
      }
      // In the order of their numbers.
      const all: BankState['files'] = { ...files, [file.sequence]: digest };
      files = Object.fromEntries(Object.entries(all).slice(-KEPT_FILES));
      for (const records of file.titles) {
        const movement = at(records.P, 16, 17);
        const title = titleOf(rules, records);
        if (movement === REGISTER) register(title, records, today);
        else instruct(title, movement, today);
      }
      return { ...taken, isRepeat: false };
    },
    pay(number, { day, amountCents, creditDay, feeCents = 0n, channel = '03' }) {
      const title = known(number);
      const occurrence = title.status === 'open' ? '06' : rules.codes.paidAfterWriteOff;
      titles.set(number, { ...title, status: 'paid', paidCents: amountCents });
      const credit = creditDay === undefined ? {} : { creditDay };
      report(title, occurrence, day, { paidCents: amountCents, feeCents, reasons: [channel], ...credit });
    },
    writeOff(number, day, reason) {
      const title = known(number);
      titles.set(number, { ...title, status: 'written_off' });
      report(title, '09', day, { reasons: [reason] });
    },
    reverse(number, day) {
      const title = known(number);
      if (title.status !== 'paid') throw new Error('only what was paid can be reversed');
      if (rules.codes.reversed === undefined) throw new Error(`bank ${customer.bank} does not report reversals`);
      titles.set(number, { ...title, status: 'open' });
      report(title, rules.codes.reversed, day, { paidCents: title.paidCents });
    },
    report: (number, occurrence, day, more) => report(known(number), occurrence, day, more),
    makeReturn(head) {
      const bytes = returnFile(customer, rules, { ...head, sequence: ++returns }, news);
      news = [];
      return bytes;
    },
  };
}

/** The numbers of the titles in a file, whether it is accepted or not. */
export function numbersIn({ bank }: Customer, bytes: Buffer): string[] {
  const place = RULES[bank]?.numberInP;
  if (!place) return [];
  const lines = bytes.toString('latin1').split(/\r?\n/);
  return lines.filter(line => at(line, 14, 14) === 'P').map(line => at(line, ...place));
}

function titleOf(rules: BankRules, { P, Q = '', Y }: Records): ReportedTitle {
  const dueDay = dayIn(at(P, 78, 85));
  const abatementCents = abatementIn(P) ?? 0n;
  return {
    number: at(P, ...rules.numberInP),
    account: at(P, 18, 37),
    documentNumber: at(P, ...rules.documentNumber),
    ownId: at(P, 196, 220),
    ...(dueDay !== undefined && { dueDay }),
    amountCents: centsIn(at(P, 86, 100)) ?? 0n,
    payer: at(Q, 18, 73),
    ...(abatementCents > 0n && { abatementCents }),
    ...(hasDiscount(P) && { hasDiscount: true }),
    ...(Y !== undefined && { txid: at(Y, 159, 193).trim() }),
  };
}
