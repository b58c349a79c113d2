// The contract with a bank under which boletos are registered by file («convênio»), and what a file states about a title.

import type { BoletoAccount } from './boleto/account.ts';
import type { CivilDay } from './days.ts';

export type Agreement = {
  /** Three digits. */
  readonly bank: string;
  readonly account: BoletoAccount & { readonly agencyDigit?: string };
  readonly holder: { readonly name: string; readonly document: string };
  /** «Variação da carteira», at Banco do Brasil only. */
  readonly variation?: string;
  /** «Código de transmissão», at Santander only. */
  readonly transmissionCode?: string;
  /** Versions of the layout, if the bank requires others than the usual ones. */
  readonly fileVersion?: string;
  readonly lotVersion?: string;
  /** «Espécie»: what kind of debt it is; «duplicata mercantil» when absent, 01 at Itaú and 02 elsewhere. */
  readonly species?: string;
  /** «Aceite»; N when absent. */
  readonly acceptance?: 'A' | 'N';
  /** Whether a segment R is written also for a title without a fine. */
  readonly emptySegmentR?: boolean;
  /** The pix key of boletos that can be paid by pix too, if the bank accepts it in a segment Y-03. */
  readonly pix?: { readonly key: string; readonly keyType: string; readonly city: string };
  /** Other texts for single fields, by record and field such as `P.issuedBy`: banks agree on them with each customer. */
  readonly quirks?: Readonly<Record<string, string>>;
};

/** The instructions of a file. */
export const MOVEMENTS = { register: '01', write_off: '02', change_due_day: '06' } as const;
export type Movement = keyof typeof MOVEMENTS;

export type Instruction = { readonly movement: Movement; readonly title: Title };

export type Title = {
  /** The sequential part of the nosso número: digits, without carteira, agreement or check digit. */
  readonly ourNumber: string;
  /** «Seu número»: the holder's own number; printed on the slip. */
  readonly documentNumber: string;
  /** Repeated in returns; at most 25 letters and digits. */
  readonly ownId?: string;
  readonly issueDay: CivilDay;
  readonly dueDay: CivilDay;
  readonly amountCents: bigint;
  /** Decimal text: percent a month, and percent once. */
  readonly interestPercent?: string;
  readonly finePercent?: string;
  /** Deducted on any day of payment. */
  readonly abatementCents?: bigint;
  /** For paying early; three at most, in the order of their days, all of one kind. */
  readonly discounts?: readonly TitleDiscount[];
  /** Days after the due day until the bank writes it off. */
  readonly writeOffDays?: number;
  readonly payer: {
    readonly name: string;
    readonly document: string;
    readonly street?: string;
    readonly neighborhood?: string;
    readonly postalCode?: string;
    readonly city?: string;
    readonly state?: string;
  };
  /** For a boleto that can be paid by pix too, if the bank supports it. */
  readonly pix?: { readonly keyType: string; readonly key: string; readonly txid: string };
};

/**
 * «Código do desconto» (C021): an amount or a percent until a day, and an amount or a percent for each day before the due day, counted in
 * calendar or in banking days.
 */
export const DISCOUNT_CODES = {
  '1': 'amount until the day',
  '2': 'percent until the day',
  '3': 'amount for each calendar day before the due day',
  '4': 'amount for each banking day before the due day',
  '5': 'percent for each calendar day before the due day',
  '6': 'percent for each banking day before the due day',
} as const;
export type DiscountCode = keyof typeof DISCOUNT_CODES;

/** The codes of discounts in percent. */
export const PERCENT_DISCOUNTS: readonly string[] = ['2', '5', '6'] satisfies readonly DiscountCode[];

export type TitleDiscount = {
  readonly code: DiscountCode;
  /** The last day of the discount; of one for each day, the due day. */
  readonly day: CivilDay;
  /** Cents, or hundredths of a percent. */
  readonly hundredths: bigint;
};

/** The digit that distinguishes a CPF from a CNPJ. */
export function documentType(document: string): string {
  return document.length <= 11 ? '1' : '2';
}
