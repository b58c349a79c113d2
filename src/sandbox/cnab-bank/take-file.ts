// Reads a file to the simulated bank as strictly as a bank does in its acceptance tests: one wrong count, and the whole file is refused.
import type { CivilDay } from '../../lib/civil-days.ts';
import { at, centsIn, dayIn, WIDTH, zeros } from './columns.ts';
import type { Customer } from './customer.ts';
import { type BankRules, unmet } from './rules.ts';

/** Why the bank refuses a whole file. */
export class FileRefused extends Error {
  constructor(message: string, line = 0) {
    super(line === 0 ? message : `line ${line}: ${message}`);
  }
}

/** The records of one title. */
export type Records = { readonly P: string; readonly Q?: string; readonly R?: string; readonly Y?: string };
type TakenFile = { readonly sequence: number; readonly day: CivilDay; readonly titles: readonly Records[] };

/** «Baixa» and others need no payer at every bank. */
const REGISTRATION = '01';

export function takeFile(customer: Customer, rules: BankRules, bytes: Buffer, today: CivilDay): TakenFile {
  const lines = linesOf(bytes);
  for (const [index, line] of lines.entries()) checkLine(customer, line, index + 1);
  const header = checkFileHeader(customer, rules, lines[0] ?? '', today);
  const lots = lotsOf(lines);
  const titles = lots.flatMap(lot => checkLot(customer, rules, header, lot));
  checkFileTrailer(lines, lots.length);
  return { sequence: header.sequence, day: header.day, titles };
}

function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  if (!/^[ -~\r\n]*$/.test(text)) throw new FileRefused('the file has characters outside of printable ASCII');
  const lines = text.split('\r\n');
  if (lines.pop() !== '') throw new FileRefused('the last line has no end');
  return lines;
}

function checkLine({ bank }: Customer, line: string, number: number): void {
  if (line.length !== WIDTH) throw new FileRefused(`has ${line.length} characters`, number);
  if (at(line, 1, 3) !== bank) throw new FileRefused('is of another bank', number);
  // Pix keys and txids have them.
  if (/[a-z]/.test(line) && line[13] !== 'Y') throw new FileRefused('has small letters', number);
}

type Header = { readonly sequence: number; readonly day: CivilDay; readonly lotVersion: string };

function checkFileHeader(customer: Customer, rules: BankRules, line: string, today: CivilDay): Header {
  const refuse = (message: string) => new FileRefused(message, 1);
  if (at(line, 4, 8) !== '00000') throw refuse('is no file header');
  const type = customer.holderDocument.length === 11 ? '1' : '2';
  const holder = type + zeros(customer.holderDocument, 32 - rules.holderAt);
  if (at(line, rules.holderAt, 32) !== holder) throw refuse('names another holder');
  const wrong = unmet(line, rules.fileHeader(customer));
  if (wrong) throw refuse(`${wrong.label} (column ${wrong.from}) is not that of the customer`);
  if (at(line, 143, 143) !== '1') throw refuse('is not of a file to a bank');
  const day = dayIn(at(line, 144, 151));
  if (day === undefined || day > today) throw refuse('its date is invalid or in the future');
  if (rules.hasTime && !/^([01]\d|2[0-3])([0-5]\d){2}$/.test(at(line, 152, 157))) throw refuse('has no time');
  const sequence = at(line, 158, 163);
  if (!/^\d{6}$/.test(sequence) || Number(sequence) === 0) throw refuse('has no sequence');
  const file = at(line, 164, 166);
  const agreed = customer.fileVersion === undefined ? rules.versions : [[customer.fileVersion, customer.lotVersion]];
  const [, lotVersion] = agreed.find(([version]) => version === file) ?? [];
  if (lotVersion === undefined) throw refuse(`layout ${file} is not known`);
  return { sequence: Number(sequence), day, lotVersion };
}

type Lot = { readonly first: number; readonly lines: readonly string[] };

/** From each lot header to its trailer; `first` is the number of the header's line. */
function lotsOf(lines: readonly string[]): Lot[] {
  const lots: Lot[] = [];
  let start = 1;
  while (lines[start]?.[7] === '1') {
    const length = lines.slice(start).findIndex(line => line[7] === '5') + 1;
    if (length === 0) throw new FileRefused('the lot has no trailer', start + 1);
    lots.push({ first: start + 1, lines: lines.slice(start, start + length) });
    start += length;
  }
  if (lots.length === 0) throw new FileRefused('has no lot', 2);
  if (start !== lines.length - 1) throw new FileRefused('belongs to no lot', start + 1);
  return lots;
}

function checkLot(customer: Customer, rules: BankRules, header: Header, { first, lines }: Lot): Records[] {
  const [head = '', ...rest] = lines;
  const trailer = rest.pop() ?? '';
  const number = at(head, 4, 7);
  const refuse = (message: string, line = first) => new FileRefused(message, line);
  if (at(head, 8, 11) !== '1R01') throw refuse('is no lot header of collection');
  if (at(head, 14, 16) !== header.lotVersion) throw refuse(`layout ${at(head, 14, 16)} does not fit that of the file`);
  const wrong = unmet(head, rules.lotHeader(customer));
  if (wrong) throw refuse(`${wrong.label} (column ${wrong.from}) is not that of the customer`);
  if (Number(at(head, 184, 191)) !== header.sequence) throw refuse('has another sequence than the file');
  if (dayIn(at(head, 192, 199)) !== header.day) throw refuse('has another day than the file');
  for (const [index, line] of rest.entries()) {
    if (at(line, 4, 8) !== `${number}3`) throw refuse('is no record of this lot', first + index + 1);
    if (at(line, 9, 13) !== zeros(index + 1, 5)) throw refuse('is out of order', first + index + 1);
  }
  const titles = titlesOf(rest, rules, first);
  checkLotTrailer(rules, trailer, { number, records: lines.length, titles, line: first + lines.length - 1 });
  return titles;
}

function titlesOf(lines: readonly string[], rules: BankRules, first: number): Records[] {
  const titles: { P: string; Q?: string; R?: string; Y?: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const refuse = (message: string) => new FileRefused(message, first + index + 1);
    const segment = line[13];
    const title = titles.at(-1);
    if (segment === 'P') {
      titles.push({ P: line });
      continue;
    }
    if (!title || at(line, 16, 17) !== at(title.P, 16, 17)) throw refuse('does not follow its title');
    if (segment === 'Q' && !title.Q && !title.R) title.Q = line;
    else if (segment === 'R' && title.Q && !title.R && !title.Y) title.R = line;
    else if (segment === 'Y' && at(line, 18, 19) === '03' && title.Q && !title.Y && rules.hasPix) title.Y = line;
    else throw refuse(`segment ${segment} is not expected here`);
  }
  const bare = titles.find(({ P, Q }) => at(P, 16, 17) === REGISTRATION && !Q);
  if (bare) throw new FileRefused('a title has no payer (segment Q)', first);
  return titles;
}

type Counted = {
  readonly number: string;
  readonly records: number;
  readonly titles: readonly Records[];
  readonly line: number;
};

function checkLotTrailer(rules: BankRules, trailer: string, { number, records, titles, line }: Counted): void {
  if (at(trailer, 4, 8) !== `${number}5`) throw new FileRefused('is the trailer of another lot', line);
  if (at(trailer, 18, 23) !== zeros(records, 6)) throw new FileRefused(`has not ${records} records`, line);
  if (!rules.hasTotals) return;
  const total = titles.reduce((sum, { P }) => sum + (centsIn(at(P, 86, 100)) ?? 0n), 0n);
  if (at(trailer, 24, 46) !== zeros(titles.length, 6) + zeros(total, 17)) {
    throw new FileRefused('has other titles or another total than the lot', line);
  }
}

function checkFileTrailer(lines: readonly string[], lots: number): void {
  const trailer = lines.at(-1) ?? '';
  if (at(trailer, 4, 8) !== '99999') throw new FileRefused('is no file trailer', lines.length);
  if (at(trailer, 18, 29) !== zeros(lots, 6) + zeros(lines.length, 6)) {
    throw new FileRefused('counts other lots or records than there are', lines.length);
  }
}
