// Boletos: a bank registers them, payers pay their barcode at any bank, and the money is credited on a later banking day.
import { Type } from 'typebox';
import type { CommonFields, MethodFacts, Shown } from './method.ts';

export type BoletoInstrument = {
  readonly barcode: string;
  readonly digitableLine: string;
  /** A boleto may carry a pix code: paying it pays the boleto. */
  readonly pix?: BoletoPix;
  /** Nosso número, where the bank assigns it. */
  readonly ourNumber?: string;
};

/** The pix charge that a bank has made for a boleto. */
export type BoletoPix = {
  readonly emv: string;
  /** The location in the code, and the txid of the charge behind it, as far as known. */
  readonly location?: string;
  readonly txid?: string;
};

export const boleto = {
  id: 'boleto',
  missing: 'boletos in TRILHO_CONFIG is not set',
  abilities: {
    endsAtSecond: false,
    movesDueDay: false,
    isCreditedLater: true,
    hasPaymentIds: false,
    canBeTakenBack: false,
    asksForDueDay: true,
    carries: 'pix',
  },
  openStatus: 'REGISTERED',
  transitions: {
    CREATING: ['REGISTERED', 'FAILED', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    REGISTERED: ['PAID', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    OVERDUE: ['REGISTERED', 'PAID', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    EXPIRED: ['PAID'],
    CANCELED: ['PAID'],
    PAID: ['SETTLED'],
    SETTLED: [],
    FAILED: ['PAID'],
    PAID_BY_OTHER_METHOD: [],
  },
  fields: (common: CommonFields) => ({
    ...common,
    digitableLine: Type.Optional(Type.String({ pattern: '^[0-9]{47}$', description: 'The line a payer types.' })),
    barcode: Type.Optional(Type.String({ pattern: '^[0-9]{44}$' })),
    emv: Type.Optional(Type.String({ description: 'The BR Code that the boleto carries, where its bank makes one.' })),
    pdfUrl: Type.Optional(Type.String({ format: 'uri-reference', description: 'The page to print.' })),
  }),
  show: ({ success, status, reason, chargeId, instrument }: Shown<BoletoInstrument>) => ({
    success,
    status,
    reason,
    digitableLine: instrument?.digitableLine,
    barcode: instrument?.barcode,
    emv: instrument?.pix?.emv,
    pdfUrl: instrument && `/charges/${chargeId}/boleto.pdf`,
  }),
} as const satisfies MethodFacts;
