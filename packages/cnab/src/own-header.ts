// Whether a return file belongs to an agreement. Banks fill the header of a file differently, so the codes are searched for in all
// its columns about the holder.
import type { Agreement } from './agreement.ts';

/** The codes of an agreement that are long enough not to be found by chance. */
const MIN_CODE_DIGITS = 4;

export function isOwnHeader({ account, holder, transmissionCode }: Agreement, header: string): boolean {
  const document = header.slice(16, 32);
  if (/[1-9A-Z]/.test(document) && !document.includes(holder.document)) return false;
  const place = header.slice(32, 72);
  const codes = [account.beneficiaryCode, transmissionCode].map(significant).filter(isLong);
  if (codes.some(code => place.includes(code))) return true;
  const [agency, number] = [significant(account.agency), significant(account.accountNumber)];
  const hasAccount = agency !== '' && number !== '' && place.includes(agency) && place.includes(number);
  // A file of another agreement on the same bank account names that one.
  const namesAnother = codes.length > 0 && /[1-9]/.test(header.slice(32, 52)) && !header.slice(32, 52).includes(number);
  return hasAccount && !namesAnother;
}

function significant(digits = ''): string {
  return digits.replace(/^0+/, '');
}

function isLong(code: string): boolean {
  return code.length >= MIN_CODE_DIGITS;
}
