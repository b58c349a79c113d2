// Makes returns by columns that are written here independently, so that a mistake in the tables of the package is found.

/** A blank line with texts at columns. */
export function line(...parts: readonly (readonly [from: number, text: string])[]): string {
  let text = ' '.repeat(240);
  for (const [from, part] of parts) text = text.slice(0, from - 1) + part + text.slice(from - 1 + part.length);
  return text;
}

export type Entry = {
  readonly occurrence: string;
  /** The complete field. */
  readonly number: string;
  readonly ownId?: string;
  readonly amountCents?: bigint;
  readonly paidCents?: bigint;
  readonly feeCents?: bigint;
  readonly discountCents?: bigint;
  readonly abatementCents?: bigint;
  /** DDMMAAAA. */
  readonly dueDay?: string;
  readonly day?: string;
  readonly creditDay?: string;
  readonly reasons?: string;
};

/** Where segment T has number, amount, own id, fee and reasons. */
const PLACES: Readonly<Record<string, readonly [number, number, number, number, number]>> = {
  '033': [41, 78, 101, 194, 209],
  '104': [40, 82, 106, 199, 214],
};
const NORM = [38, 82, 106, 199, 214] as const;

const amount = (cents = 0n) => String(cents).padStart(15, '0');

function titleLines(bank: string, entry: Entry, sequence: number): string[] {
  const [number, value, ownId, fee, reasons] = PLACES[bank] ?? NORM;
  const start = (segment: string, plus: number) =>
    [1, `${bank}00013${String(sequence + plus).padStart(5, '0')}${segment} ${entry.occurrence}`] as const;
  return [
    line(
      start('T', 0),
      [number, entry.number],
      [value - 8, entry.dueDay ?? ''],
      [value, amount(entry.amountCents)],
      [ownId, entry.ownId ?? ''],
      [fee, amount(entry.feeCents)],
      [reasons, entry.reasons ?? ''],
    ),
    line(
      start('U', 1),
      [18, amount() + amount(entry.discountCents) + amount(entry.abatementCents) + amount()],
      [78, amount(entry.paidCents) + amount(entry.paidCents)],
      [138, (entry.day ?? '00000000') + (entry.creditDay ?? '00000000')],
    ),
  ];
}

/** The agreement in the header of a file, by column; as in `agreements.ts`. */
const HOLDERS: Readonly<Record<string, readonly (readonly [from: number, text: string])[]>> = {
  '001': [[33, '0012345670014170190001234300000001234550']],
  '033': [
    [33, '1234513001234560'],
    [53, '001234567'],
  ],
  '104': [[53, '012345123456']],
  '237': [[33, '0000000000000765432101234500000005432160']],
  '341': [[53, '04459 000000017600 6']],
  '756': [[53, '0432730000000036668']],
};

/** `day` as DDMMAAAA. */
type Head = { readonly sequence?: number; readonly day?: string };

export function returnLines(
  bank: string,
  titles: readonly Entry[],
  { sequence = 9, day = '17112026' }: Head = {},
): string[] {
  const records = titles.flatMap((entry, index) => titleLines(bank, entry, index * 2 + 1));
  const six = (count: number) => String(count).padStart(6, '0');
  return [
    line(
      [1, `${bank}00000`],
      [18, '211222333000181'],
      ...(HOLDERS[bank] ?? []),
      [143, `2${day}`],
      [158, six(sequence)],
    ),
    line([1, `${bank}00011T01`]),
    ...records,
    line([1, `${bank}00015`], [18, six(records.length + 2)]),
    line([1, `${bank}99999`], [18, six(1) + six(records.length + 4)]),
  ];
}

export function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map(text => `${text}\r\n`).join(''), 'latin1');
}
