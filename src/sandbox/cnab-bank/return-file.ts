// Writes the returns of the simulated bank.
import type { CivilDay } from '../../lib/civil-days.ts';
import { type Part, recordOf, textOfDay, zeros } from './columns.ts';
import { type Customer, type Demand, RULES } from './customer.ts';

/** What the bank tells of a title. */
export type News = {
  readonly occurrence: string;
  /** Codes of two characters. */
  readonly reasons: readonly string[];
  readonly day: CivilDay;
  readonly creditDay?: CivilDay;
  readonly paidCents: bigint;
  readonly feeCents: bigint;
  readonly title: ToldTitle;
};

export type ToldTitle = {
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
  /** The txid of its pix. */
  readonly txid?: string;
};

export type ReturnHead = { readonly sequence: number; readonly day: CivilDay; readonly time: string };

const LINE_END = '\r\n';

export function returnFile(customer: Customer, head: ReturnHead, news: readonly News[]): Buffer {
  const { bank } = customer;
  const records: string[] = [];
  const add = (...parts: readonly Part[]) => {
    records.push(recordOf([1, `${bank}00013${zeros(records.length + 1, 5)}`], ...parts));
  };
  for (const one of news) {
    add(...titleParts(bank, one));
    add(...eventParts(one));
    if (one.title.txid !== undefined && one.occurrence === '02') add(...pixParts(one));
  }
  // Santander counts neither headers nor trailers.
  const uncounted = bank === '033' ? 0 : 2;
  const lines = [
    fileHeader(customer, head),
    lotHeader(customer, head),
    ...records,
    recordOf([1, `${bank}00015`], [18, zeros(records.length + uncounted, 6)]),
    recordOf([1, `${bank}99999`], [18, zeros(1, 6) + zeros(records.length + 2 * uncounted, 6)]),
  ];
  return Buffer.from(lines.map(line => line + LINE_END).join(''), 'latin1');
}

const places = (demands: readonly Demand[], upTo: number): Part[] =>
  demands.flatMap(({ from, text }) => (from <= upTo ? [[from, text] as const] : []));

function fileHeader(customer: Customer, { sequence, day, time }: ReturnHead): string {
  const { bank, holderDocument } = customer;
  const [version = ''] = RULES[bank]?.versions[0] ?? [];
  const type = holderDocument.length === 11 ? '1' : '2';
  const holder: Part = bank === '033' ? [17, type + zeros(holderDocument, 15)] : [18, type + zeros(holderDocument, 14)];
  return recordOf(
    [1, `${bank}00000`],
    holder,
    ...(bank === '033' ? santanderHolder(customer) : places(RULES[bank]?.fileHeader(customer) ?? [], 72)),
    [143, `2${textOfDay(day)}${time}`],
    [158, zeros(sequence, 6) + version],
  );
}

/** In its returns the account stands where its customer's files have the transmission code. */
function santanderHolder(customer: Customer): Part[] {
  const { agency = '', agencyDigit = '', accountNumber = '', accountDigit = '', beneficiaryCode = '' } = customer;
  const account = `${zeros(agency, 4)}${agencyDigit}${zeros(accountNumber, 9)}${accountDigit}`;
  return [
    [33, account],
    [53, zeros(beneficiaryCode, 9)],
  ];
}

function lotHeader(customer: Customer, { sequence, day }: ReturnHead): string {
  const { bank } = customer;
  const [, version = ''] = RULES[bank]?.versions[0] ?? [];
  return recordOf([1, `${bank}00011T01`], [14, version], ...places(RULES[bank]?.lotHeader(customer) ?? [], 73), [
    184,
    zeros(sequence, 8) + textOfDay(day),
  ]);
}

/** Where a segment T has what, by its first columns. */
type TitlePlaces = {
  readonly number: number;
  readonly document: number;
  readonly due: number;
  readonly amount: number;
  readonly ownId: number;
  readonly payer: number;
  readonly fee: number;
  readonly reasons: number;
};
const NORM: TitlePlaces = {
  ...{ number: 38, document: 59, due: 74, amount: 82 },
  ...{ ownId: 106, payer: 133, fee: 199, reasons: 214 },
};
const SANTANDER: TitlePlaces = {
  ...{ number: 41, document: 55, due: 70, amount: 78 },
  ...{ ownId: 101, payer: 128, fee: 194, reasons: 209 },
};
/** Four at Itaú, whose last two columns say how it was settled. */
const reasonsAt = (bank: string) => (bank === '341' ? 4 : 5);

function titleParts(bank: string, { occurrence, reasons, feeCents, title }: News): Part[] {
  const place = bank === '033' ? SANTANDER : NORM;
  // Caixa gives the last 17 digits back.
  const number: Part = bank === '104' ? [40, title.number.slice(3)] : [place.number, title.number];
  return [
    [14, `T ${occurrence}`],
    [18, title.account.slice(0, bank === '033' ? 15 : 20)],
    number,
    [place.document, title.documentNumber],
    [place.due, textOfDay(title.dueDay)],
    [place.amount, zeros(title.amountCents, 15)],
    [place.ownId, title.ownId],
    [place.payer, title.payer],
    [place.fee, zeros(feeCents, 15)],
    [place.reasons, reasons.slice(0, reasonsAt(bank)).join('')],
  ];
}

function eventParts({ occurrence, paidCents, feeCents, day, creditDay, title: { amountCents } }: News): Part[] {
  const surcharge = paidCents > amountCents ? paidCents - amountCents : 0n;
  const rebate = paidCents > 0n && paidCents < amountCents ? amountCents - paidCents : 0n;
  const credited = paidCents > feeCents ? paidCents - feeCents : 0n;
  return [
    [14, `U ${occurrence}`],
    [18, [surcharge, 0n, rebate, 0n, paidCents, credited, 0n, 0n].map(amount => zeros(amount, 15)).join('')],
    [138, textOfDay(day) + textOfDay(creditDay)],
    [154, zeros(0, 27)],
  ];
}

function pixParts({ occurrence, title: { txid = '' } }: News): Part[] {
  return [
    [14, `Y ${occurrence}03`],
    [82, `pix.example.com/qr/${txid}`.slice(0, 77)],
    [159, txid],
  ];
}
