// Where our files differ from published ones of the same titles, and why; docs/boleto-layouts.md has them in short. A difference
// that is not explained fails.

type Explanation = {
  /** Records and fields, such as `P.ownId`. */
  readonly fields: readonly string[];
  readonly why: string;
  /** Whether the two texts differ in that way. */
  holds(theirs: string, ours: string): boolean;
};

const isUnused = (text: string) => /^[0 ]*$/.test(text);
const anyText = () => true;

const EXPLANATIONS: readonly Explanation[] = [
  {
    fields: ['fileHeader.holderName', 'lotHeader.holderName', 'Q.payerName', 'Q.street', 'Q.neighborhood', 'Q.city'],
    why: 'we write upper case without accents, as the norm asks',
    holds: (theirs, ours) => theirs.toUpperCase() === ours,
  },
  {
    fields: ['P.ownId'],
    why: 'we align it to the left, as the norm asks',
    holds: (theirs, ours) => theirs.trim() === ours.trim(),
  },
  {
    fields: ['P.documentKind', 'P.issuedBy', 'P.deliveredBy', 'fileHeader.density', 'R.debitNotice'],
    why: 'agreed on with each customer: `quirks` of the agreement',
    holds: anyText,
  },
  {
    fields: ['fileHeader.bankName', 'fileHeader.reservedHolder', 'fileHeader.reserved212'],
    why: 'for information: names of the bank, of the program, of the environment',
    holds: anyText,
  },
  {
    fields: ['lotTrailer.titles', 'lotTrailer.total'],
    why: 'their totals are zero, ours are counted',
    holds: isUnused,
  },
  {
    fields: [
      ...['fileHeader.reservedBank', 'lotHeader.reserved12', 'lotHeader.reserved208', 'lotTrailer.notice'],
      ...['lotTrailer.reserved124', 'R.debitAgencyDigit', 'R.debitAccountDigits'],
    ],
    why: 'unused: zeros in one file, blanks in the other',
    holds: (theirs, ours) => isUnused(theirs) && isUnused(ours),
  },
  {
    fields: ['P.interestCode', 'P.interestDay', 'P.interest'],
    why: 'their interest is an amount a day, or a code without an amount; ours comes from a percent a month',
    holds: (_, ours) => /^[03]+$/.test(ours),
  },
  {
    fields: ['R.fineCode', 'R.fineDay'],
    why: 'a code of a fine without a fine',
    holds: (_, ours) => isUnused(ours),
  },
  {
    fields: [
      ...['P.protestCode', 'P.protestDays'],
      ...['Q.guarantorType', 'Q.guarantorDocument', 'Q.guarantorName', 'R.message3', 'R.message4'],
    ],
    why: 'a charge has no protests, guarantors and messages',
    holds: (_, ours) => /^[03 ]*$/.test(ours),
  },
  {
    fields: ['P.discountCode', 'P.discountDay'],
    why: 'a code or a day of a discount without a discount',
    holds: (_, ours) => isUnused(ours),
  },
  {
    fields: ['P.ourNumber'],
    why: "only the check digit: Sicoob's covers the client's number, which is not in the file; python-cnab's is invented",
    holds: (theirs, ours) =>
      [9, 11].some(at => theirs.slice(0, at) + theirs.slice(at + 1) === ours.slice(0, at) + ours.slice(at + 1)),
  },
  {
    fields: ['P.writeOffCode'],
    why: 'a title without days until a write-off; those of charges have them',
    holds: (_, ours) => isUnused(ours),
  },
  {
    fields: ['lotHeader.sequence'],
    why: 'their lot has a number of its own, ours has that of the file',
    holds: anyText,
  },
];

export function isExplained(field: string, theirs: string, ours: string): boolean {
  return EXPLANATIONS.some(({ fields, holds }) => fields.includes(field) && holds(theirs, ours));
}
