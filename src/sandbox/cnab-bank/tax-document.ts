// CPF and CNPJ as the simulated bank checks them.

/** `type` 1 is a CPF, 2 a CNPJ, whose first twelve characters may be letters; the field has leading zeros. */
export function isDocument(type: string, field: string): boolean {
  if (type === '1') return /^\d{15}$/.test(field) && field.startsWith('0000') && hasDigits(field.slice(4), 9, 11);
  return type === '2' && /^0[0-9A-Z]{12}\d\d$/.test(field) && hasDigits(field.slice(1), 12, 9);
}

/** Two check digits by modulo 11 after `length` characters, weights 2 up to `largest` from the right. */
function hasDigits(document: string, length: number, largest: number): boolean {
  if (/^0+$/.test(document)) return false;
  return [0, 1].every(extra => {
    const before = document.slice(0, length + extra);
    const sum = [...before]
      .reverse()
      .reduce((total, one, index) => total + (one.charCodeAt(0) - 48) * (2 + (index % (largest - 1))), 0);
    const rest = sum % 11;
    return document[length + extra] === String(rest < 2 ? 0 : 11 - rest);
  });
}
