// Independent readers of boletos and BR Codes, written by others, to verify ours.
import { createRequire } from 'node:module';
import { hasError, isStaticPix, parsePix } from 'pix-utils';

// A package without types.
const validator = createRequire(import.meta.url)('boleto-brasileiro-validator') as {
  boletoBancarioLinhaDigitavel(line: string, checkBlocks: boolean): boolean;
  boletoBancarioCodigoBarras(barcode: string): boolean;
};

export function isBoletoByOracle(line: string): boolean {
  return validator.boletoBancarioLinhaDigitavel(line, true);
}

export function isBarcodeByOracle(barcode: string): boolean {
  return validator.boletoBancarioCodigoBarras(barcode);
}

export function readPixByOracle(emv: string): {
  key: string;
  txid: string;
  amount: number;
  name: string;
  city: string;
} {
  const pix = parsePix(emv);
  if (hasError(pix) || !isStaticPix(pix)) throw new Error(`not a static BR Code: ${emv}`);
  return {
    key: pix.pixKey,
    txid: pix.txid ?? '',
    amount: pix.transactionAmount ?? 0,
    name: pix.merchantName,
    city: pix.merchantCity,
  };
}
