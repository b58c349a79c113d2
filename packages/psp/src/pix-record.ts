// A received payment and its refunds.
import type { Random } from './random.ts';

export type Person = { readonly cpf?: string; readonly cnpj?: string; readonly nome: string };

export type RefundStatus = 'EM_PROCESSAMENTO' | 'DEVOLVIDO' | 'NAO_REALIZADO';
export type RefundNature = 'ORIGINAL' | 'RETIRADA' | 'MED_OPERACIONAL' | 'MED_FRAUDE' | 'MED_PIX_AUTOMATICO';

/** As the API writes it. */
export type Devolucao = {
  readonly id: string;
  readonly rtrId: string;
  readonly valor: string;
  readonly natureza: RefundNature;
  readonly descricao?: string;
  readonly horario: { readonly solicitacao: string; readonly liquidacao?: string };
  readonly status: RefundStatus;
  readonly motivo?: string;
};

export type PixRecord = {
  readonly endToEndId: string;
  readonly clientId: string;
  readonly txid: string | undefined;
  /** Absent for a charge of a recurrence, which names an account and no key. */
  readonly chave: string | undefined;
  readonly valor: string;
  readonly componentesValor: Readonly<Record<string, { readonly valor: string }>>;
  readonly horario: Date;
  readonly infoPagador: string | undefined;
  readonly pagador: Person;
  /** When the PSP learned of it, for stale reads. */
  readonly atMs: number;
  /** Every state of its refunds; the first is empty. */
  readonly refunds: { readonly atMs: number; readonly devolucoes: readonly Devolucao[] }[];
};

/** A pix as the API writes it. */
export type PaidPix = {
  readonly endToEndId: string;
  readonly txid?: string;
  readonly valor: string;
  /** Absent for a charge of a recurrence. */
  readonly chave?: string;
  readonly horario: string;
  readonly infoPagador?: string;
  readonly devolucoes?: readonly Devolucao[];
};

export function refundsOf(pix: PixRecord): readonly Devolucao[] {
  return pix.refunds.at(-1)!.devolucoes;
}

/** `E` or `D`, the ISPB, the minute in UTC and eleven characters: 32 in all. */
export function settlementId(letter: 'E' | 'D', at: Date, random: Random): string {
  const minute = at.toISOString().replace(/\D/g, '').slice(0, 12);
  return `${letter}${ISPB}${minute}${random.letters(11)}`;
}

/** An ISPB that no participant has. */
export const ISPB = '99999999';
