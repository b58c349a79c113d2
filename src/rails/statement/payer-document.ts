// The document of a payer in the texts of a bank, which often hides some of its digits.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';

const HIDDEN = '*';
const CPF = /(?<![\w*•.])([\dX*•]{3})\.?(\d{3})\.?(\d{3})-?([\dX*•]{2})(?![\w*•])/gi;
const CNPJ = /(?<![\w*•.])[\dA-Z]{2}\.?[\dA-Z]{3}\.?[\dA-Z]{3}(\/?)[\dA-Z]{4}-?\d{2}(?![\w*•])/gi;

/** The CPF or CNPJ in a text. Undefined without one, or with several, because any of them may be the payer's. */
export function payerDocumentIn(text: string): string | undefined {
  const found = payerDocumentsIn(text);
  return found.length === 1 ? found[0] : undefined;
}

/**
 * Every CPF and CNPJ in a text once, without punctuation, with `*` for each hidden digit. A whole one counts only with right check
 * digits, since banks print other long numbers.
 */
export function payerDocumentsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [whole] of text.matchAll(CPF)) {
    const cpf = whole.replace(/[.-]/g, '').replace(/[X•]/gi, HIDDEN);
    if (cpf.includes(HIDDEN) || isValidCpf(cpf)) found.add(cpf);
  }
  for (const [whole, slash] of text.matchAll(CNPJ)) {
    const cnpj = whole.replace(/[./-]/g, '').toUpperCase();
    // A word of fourteen letters and digits is a CNPJ only when it is written as one.
    if ((slash === '/' || /^\d+$/.test(cnpj)) && isValidCnpj(cnpj, { version: 2 })) found.add(cnpj);
  }
  return [...found];
}

/** Whether both documents are known and cannot belong to one payer. */
export function areOfTwoPayers(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.length !== b.length) return true;
  return [...a].some((sign, place) => sign !== HIDDEN && b[place] !== HIDDEN && sign !== b[place]);
}
