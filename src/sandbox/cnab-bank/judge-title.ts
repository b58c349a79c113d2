// The faults that the simulated bank finds in a title to register, as codes of the norm (C047, list A).
import type { CivilDay } from '../../lib/civil-days.ts';
import { at, centsIn, dayIn } from './columns.ts';
import type { Customer } from './customer.ts';
import { reductionsAgainst } from './reductions.ts';
import { type BankRules, unmet } from './rules.ts';
import type { Records } from './take-file.ts';
import { isDocument } from './tax-document.ts';

/** How many reasons a return has room for. */
const MAX_REASONS = 5;
const STATES = 'AC AL AP AM BA CE DF ES GO MA MT MS MG PA PB PR PE PI RJ RN RS RO RR SC SP SE TO'.split(' ');

/** Empty when it is registered. */
export function reasonsAgainst(
  customer: Customer,
  rules: BankRules,
  { P, Q = '', R, Y }: Records,
  today: CivilDay,
): string[] {
  const due = dayIn(at(P, 78, 85));
  const found = [
    ...unless('07', !unmet(P, rules.segmentP(customer))),
    ...unless('08', rules.isNumber(at(P, ...rules.numberInP), customer)),
    ...termsAgainst(rules, P, due, today),
    ...payerAgainst(Q),
    ...(R === undefined ? [] : fineAgainst(R, due)),
    ...reductionsAgainst(rules, P, R, due),
    ...(Y === undefined ? [] : unless('15', /^[1-5]\S/.test(at(Y, 81, 82)))),
  ];
  return [...new Set(found)].slice(0, MAX_REASONS);
}

const unless = (code: string, holds: boolean) => (holds ? [] : [code]);

function termsAgainst(rules: BankRules, P: string, due: CivilDay | undefined, today: CivilDay): string[] {
  const issued = dayIn(at(P, 110, 117));
  const amount = centsIn(at(P, 86, 100));
  const [currency, text] = rules.currency;
  return [
    ...unless('86', at(P, ...rules.documentNumber).trim() !== ''),
    ...unless('16', due !== undefined),
    ...unless('17', due === undefined || issued === undefined || issued <= due),
    ...unless('20', amount !== undefined && amount > 0n),
    ...unless('21', /^\d\d$/.test(at(P, 107, 108)) && at(P, 107, 108) !== '00'),
    ...unless('23', /^[AN]$/.test(at(P, 109, 109))),
    ...unless('24', issued !== undefined),
    ...unless('25', issued === undefined || issued <= today),
    ...interestAgainst(rules, P, due),
    ...writeOffAgainst(rules, P),
    ...unless('44', at(P, currency, currency + text.length - 1) === text),
  ];
}

function interestAgainst({ hasDailyInterest }: BankRules, P: string, due: CivilDay | undefined): string[] {
  const code = at(P, 118, 118);
  const interest = centsIn(at(P, 127, 141));
  const isKnown = hasDailyInterest ? /[013]/.test(code) : /[0123]/.test(code);
  const day = dayIn(at(P, 119, 126));
  const isLate = day !== undefined && due !== undefined && day > due;
  return [
    ...unless('26', isKnown),
    ...unless('27', interest !== undefined && (code !== '2' || interest > 0n)),
    ...unless('79', interest === undefined || interest === 0n || isLate),
  ];
}

function writeOffAgainst({ writeOffDays }: BankRules, P: string): string[] {
  if (!writeOffDays) return [];
  const [code, days] = [at(P, 224, 224), at(P, ...writeOffDays)];
  return [
    ...unless('42', /[0123]/.test(code)),
    ...unless('43', /^\d+$/.test(days) && (code !== '1' || Number(days) > 0)),
  ];
}

function payerAgainst(Q: string): string[] {
  return [
    ...unless('45', at(Q, 34, 73).trim() !== ''),
    ...unless('46', isDocument(at(Q, 18, 18), at(Q, 19, 33))),
    ...unless('47', at(Q, 74, 113).trim() !== ''),
    ...unless('48', /^\d{8}$/.test(at(Q, 129, 136)) && at(Q, 129, 136) !== '00000000'),
    ...unless('52', STATES.includes(at(Q, 152, 153))),
  ];
}

function fineAgainst(R: string, due: CivilDay | undefined): string[] {
  const code = at(R, 66, 66);
  const fine = centsIn(at(R, 75, 89));
  if (code === '0') return unless('59', fine === 0n);
  const day = dayIn(at(R, 67, 74));
  return [
    ...unless('57', /[12]/.test(code)),
    ...unless('58', day !== undefined && due !== undefined && day > due),
    ...unless('59', fine !== undefined && fine > 0n),
  ];
}
