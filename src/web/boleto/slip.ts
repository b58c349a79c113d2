// The data of a printed boleto. The caller maps a charge to it.
import type { Address } from '../../charges/charge.ts';
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Discount } from '../../rails/reductions.ts';

/** Documents are a CPF or CNPJ without punctuation, as in a charge. */
export type BoletoSlip = {
  readonly bankName: string;
  /** 44 digits. The bank's code and the digitable line are read from it, so they cannot disagree with the bars. */
  readonly barcode: string;
  /** Nosso número, as the bank writes it. */
  readonly ourNumber: string;
  readonly carteira: string;
  /** The beneficiary's reference of the debt; a long one is printed small, a very long one is cut. */
  readonly documentNumber: string;
  readonly issuedDay: CivilDay;
  readonly processedDay: CivilDay;
  readonly dueDay: CivilDay;
  readonly lastPayableDay: CivilDay;
  readonly amountCents: bigint;
  /** Percents as decimal text, as in a charge: the fine once on the amount, the interest per month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
  /** Taken off whenever it is paid, and for paying early; in reais. */
  readonly abatementCents?: bigint;
  readonly discounts?: readonly Discount[];
  readonly beneficiary: {
    readonly name: string;
    readonly document: string;
    /** Agência and código do beneficiário, each with its check digit as the bank writes it. */
    readonly agency: string;
    readonly code: string;
    readonly address?: Address;
  };
  readonly payer: {
    readonly name: string;
    readonly document: string;
    readonly address?: Address;
  };
  /** The BR Code of the same debt, when it can be paid by pix too. */
  readonly pixEmv?: string;
  /** Where the payer sees how the debt stands. */
  readonly checkoutUrl?: string;
  /** Prints on the slip that it is from a sandbox and cannot be paid. */
  readonly sandbox: boolean;
};

/** A slip of an instalment plan: which one it is, of how many. */
export type CarneSlip = BoletoSlip & { readonly number: number; readonly count: number };
