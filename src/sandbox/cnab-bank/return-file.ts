// Writes the returns of the simulated bank.
import type { CivilDay } from '../../lib/civil-days.ts';
import { type Part, recordOf, textOfDay, zeros } from './columns.ts';
import type { Customer } from './customer.ts';
import type { BankRules, Demand } from './rules.ts';

/** What the bank reports about a title. */
export type News = {
  readonly occurrence: string;
  /** Codes of two characters. */
  readonly reasons: readonly string[];
  readonly day: CivilDay;
  readonly creditDay?: CivilDay;
  readonly paidCents: bigint;
  readonly feeCents: bigint;
  readonly title: ReportedTitle;
};

export type ReportedTitle = {
  /** The field of the nosso número as it was sent. */
  readonly number: string;
  /** Columns 18 to 37 of its segment P. */
  readonly account: string;
  readonly documentNumber: string;
  readonly ownId: string;
  readonly dueDay?: CivilDay;
  readonly amountCents: bigint;
  /** Columns 18 to 73 of its segment Q: kind and number of the document, and the name. */
  readonly payer: string;
  /** What is taken off in any case, and whether there is a discount for paying early. */
  readonly abatementCents?: bigint;
  readonly hasDiscount?: true;
  /** The txid of its pix. */
  readonly txid?: string;
};

export type ReturnHead = { readonly sequence: number; readonly day: CivilDay; readonly time: string };

const LINE_END = '\r\n';

export function returnFile(customer: Customer, rules: BankRules, head: ReturnHead, news: readonly News[]): Buffer {
  const { bank } = customer;
  const records: string[] = [];
  const add = (...parts: readonly Part[]) => {
    records.push(recordOf([1, `${bank}00013${zeros(records.length + 1, 5)}`], ...parts));
  };
  for (const one of news) {
    add(...titleParts(rules, one));
    add(...eventParts(one));
    if (one.title.txid !== undefined && one.occurrence === '02') add(...pixParts(one));
  }
  const others = rules.returned.countsTitleRecordsAlone ? 0 : 2;
  const lines = [
    fileHeader(customer, rules, head),
    lotHeader(customer, rules, head),
    ...records,
    recordOf([1, `${bank}00015`], [18, zeros(records.length + others, 6)]),
    recordOf([1, `${bank}99999`], [18, zeros(1, 6) + zeros(records.length + 2 * others, 6)]),
  ];
  return Buffer.from(lines.map(line => line + LINE_END).join(''), 'latin1');
}

const places = (demands: readonly Demand[], upTo: number): Part[] =>
  demands.flatMap(({ from, text }) => (from <= upTo ? [[from, text] as const] : []));

function fileHeader(customer: Customer, rules: BankRules, { sequence, day, time }: ReturnHead): string {
  const { bank, holderDocument } = customer;
  const { holderAt, returned } = rules;
  const [version = ''] = rules.versions[0] ?? [];
  const type = holderDocument.length === 11 ? '1' : '2';
  return recordOf(
    [1, `${bank}00000`],
    [holderAt, type + zeros(holderDocument, 32 - holderAt)],
    ...places(returned.fileHeader?.(customer) ?? rules.fileHeader(customer), 72),
    [143, `2${textOfDay(day)}${time}`],
    [158, zeros(sequence, 6) + version],
  );
}

function lotHeader(customer: Customer, rules: BankRules, { sequence, day }: ReturnHead): string {
  const { bank } = customer;
  const [, version = ''] = rules.versions[0] ?? [];
  return recordOf([1, `${bank}00011T01`], [14, version], ...places(rules.lotHeader(customer), 73), [
    184,
    zeros(sequence, 8) + textOfDay(day),
  ]);
}

function titleParts(
  { numberInT: [from, to], returned }: BankRules,
  { occurrence, reasons, feeCents, title }: News,
): Part[] {
  const place = returned.title;
  return [
    [14, `T ${occurrence}`],
    [18, title.account.slice(0, returned.accountWidth)],
    [from, title.number.slice(from - to - 1)],
    [place.document, title.documentNumber],
    [place.due, textOfDay(title.dueDay)],
    [place.amount, zeros(title.amountCents, 15)],
    [place.ownId, title.ownId],
    [place.payer, title.payer],
    [place.fee, zeros(feeCents, 15)],
    [place.reasons, reasons.slice(0, returned.reasons).join('')],
  ];
}

function eventParts({ occurrence, paidCents, feeCents, day, creditDay, title }: News): Part[] {
  const { surcharge, discount, rebate } = differencesOf(paidCents, title);
  const credited = paidCents > feeCents ? paidCents - feeCents : 0n;
  return [
    [14, `U ${occurrence}`],
    [18, [surcharge, discount, rebate, 0n, paidCents, credited, 0n, 0n].map(amount => zeros(amount, 15)).join('')],
    [138, textOfDay(day) + textOfDay(creditDay)],
    [154, zeros(0, 27)],
  ];
}

/** Why another amount was paid than that of the title. What is short beyond the abatement is the discount, where there is one. */
function differencesOf(paidCents: bigint, { amountCents, abatementCents = 0n, hasDiscount }: ReportedTitle) {
  if (paidCents === 0n) return { surcharge: 0n, discount: 0n, rebate: 0n };
  const asked = amountCents - abatementCents;
  const surcharge = paidCents > asked ? paidCents - asked : 0n;
  const short = paidCents < asked ? asked - paidCents : 0n;
  return { surcharge, discount: hasDiscount ? short : 0n, rebate: abatementCents + (hasDiscount ? 0n : short) };
}

function pixParts({ occurrence, title: { txid = '' } }: News): Part[] {
  return [
    [14, `Y ${occurrence}03`],
    [82, `pix.example.com/qr/${txid}`.slice(0, 77)],
    [159, txid],
  ];
}
