// What the page of a boleto needs to know; whoever has a charge maps it to this.
import type { Address } from '../../charges/charge.ts';
import type { CivilDay } from '../../lib/civil-days.ts';

/** Documents are a CPF or CNPJ without punctuation, as a charge keeps them. */
export type BoletoSlip = {
  readonly bankName: string;
  /** 44 digits. The bank's code and the digitable line are read from it, so they cannot disagree with the bars. */
  readonly barcode: string;
  /** Nosso número, as the bank writes it. */
  readonly ourNumber: string;
  /** Carteira. */
  readonly wallet: string;
  /** What the beneficiary calls this debt; a long one is printed small, a very long one cut. */
  readonly documentNumber: string;
  readonly issuedDay: CivilDay;
  readonly processedDay: CivilDay;
  readonly dueDay: CivilDay;
  readonly lastPayableDay: CivilDay;
  readonly amountCents: bigint;
  /** Percents as decimal text, as a charge keeps them: of the amount, once, and a month. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
  readonly beneficiary: {
    readonly name: string;
    readonly document: string;
    /** Agência and código do beneficiário, each with its digit as the bank writes it. */
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
  /** A sandbox slip says in words that nobody can pay it. */
  readonly sandbox: boolean;
};
