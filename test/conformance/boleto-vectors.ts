// Converts published boletos, which two projects describe in two ways, into our fields; and names those with a layout that we
// do not write.
import { type BoletoAccount, CNAB_BANKS } from '@trilho/cnab';

type Words = { readonly [word: string]: string | undefined };

/** As BoletoNetCore (`account` and what follows it) or brcobranca (`inputs`) published it. */
export type BoletoVector = {
  readonly bank: string;
  readonly campoLivre: string;
  readonly barcode: string;
  readonly linhaDigitavel: string;
  readonly account?: Words;
  readonly beneficiaryCode?: string;
  readonly beneficiaryCodeDv?: string;
  readonly nossoNumero?: string;
  readonly nossoNumeroFormatted?: string;
  readonly dueDate?: string;
  readonly amountCents?: number;
  readonly inputs?: Words;
};

/** The default of brcobranca if a test names no carteira. */
const ASSUMED_CARTEIRAS: Words = { '001': '18', '033': '102', '341': '175' };

export function slipOf({ dueDate, amountCents, inputs = {} }: BoletoVector): { dueDay: string; amountCents: bigint } {
  const [reais = '', cents = ''] = (inputs['valor'] ?? '').split('.');
  return {
    dueDay: dueDate ?? inputs['data_vencimento'] ?? '',
    amountCents: amountCents === undefined ? BigInt(reais + cents.padEnd(2, '0')) : BigInt(amountCents),
  };
}

export function accountOf({ bank, account, inputs = {}, ...vector }: BoletoVector): BoletoAccount {
  if (!account) {
    return {
      agency: inputs['agencia'] ?? '',
      accountNumber: inputs['conta_corrente'] ?? '',
      carteira: inputs['carteira'] ?? ASSUMED_CARTEIRAS[bank] ?? '',
      beneficiaryCode: inputs['convenio'] ?? '',
    };
  }
  const { beneficiaryCode = '', beneficiaryCodeDv = '' } = vector;
  return {
    agency: account['Agencia'] ?? '',
    accountNumber: account['Conta'] ?? '',
    carteira: account['CarteiraPadrao'] ?? '',
    // To us a client number of Sicoob includes its check digit, as it stands in the barcode.
    beneficiaryCode: bank === '756' ? beneficiaryCode + beneficiaryCodeDv : beneficiaryCode,
    modality: account['VariacaoCarteiraPadrao'] ?? '',
  };
}

/** The sequential part alone: some vectors of Banco do Brasil put the agreement before it. */
export function ourNumberOf({ bank, nossoNumero, beneficiaryCode = '', inputs = {} }: BoletoVector): string {
  const number = nossoNumero ?? inputs['nosso_numero'] ?? '';
  const whole = bank === '001' && number.length === 17 && number.startsWith(beneficiaryCode);
  return whole ? number.slice(beneficiaryCode.length) : number;
}

/** Why we would not write the free field of a vector; undefined when it must equal the published one. */
export function otherLayoutOf(vector: BoletoVector): string | undefined {
  const { bank, account = {}, inputs = {} } = vector;
  if (!CNAB_BANKS.has(bank)) return 'of a bank whose free field we do not write';
  const { carteira, beneficiaryCode = '' } = accountOf(vector);
  if (bank === '001') {
    if (ourNumberOf(vector) === '') return '001: no nosso número, the bank assigns it';
    if (inputs['codigo_servico'] === 'true') return '001: 17 free digits after an agreement of 6, service code 21';
    if (beneficiaryCode.length === 8) return '001: an agreement of 8 digits, which we do not write';
  }
  if (bank === '033' && account['VariacaoCarteiraPadrao'] === '2') {
    return '033: a nosso número of 13 digits without check digit';
  }
  if (bank === '341' && carteira === '112') return '341: carteira 112, whose check digit differs in paid boletos';
  if (bank === '341' && carteira === '196') return '341: carteira 196, with a document number; we refuse it';
  return undefined;
}

/** Itaú computes the account's digit from agency and account; BoletoNetCore's tests invented it. */
export function hasInventedAccountDigit({ bank, account }: BoletoVector): boolean {
  return bank === '341' && account !== undefined;
}
