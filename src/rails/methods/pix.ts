// Pix: the payer scans or pastes a code, and the money arrives at once, on any day.
import { Type } from 'typebox';
import type { CommonFields, MethodFacts, Shown } from './method.ts';

type PixInstrument = { readonly emv: string };

export const pix = {
  id: 'pix',
  missing: 'neither rails in TRILHO_CONFIG nor TRILHO_PIX_KEY is set',
  abilities: {
    endsAtSecond: true,
    movesDueDay: true,
    isCreditedLater: false,
    hasPaymentIds: true,
    canBeTakenBack: true,
    asksForDueDay: false,
  },
  openStatus: 'ACTIVE',
  transitions: {
    CREATING: ['ACTIVE', 'FAILED', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    ACTIVE: ['PAID', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    // A later due date.
    OVERDUE: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'],
    EXPIRED: ['PAID'],
    CANCELED: ['PAID'],
    PAID: ['PARTIALLY_REFUNDED', 'REFUNDED'],
    // A payer may pay again after a refund.
    PARTIALLY_REFUNDED: ['PAID', 'REFUNDED'],
    REFUNDED: ['PAID', 'PARTIALLY_REFUNDED'],
    // The bank registered it although it seemed to have failed.
    FAILED: ['PAID'],
    PAID_BY_OTHER_METHOD: [],
  },
  fields: ({ success, status, reason, receivedCents }: CommonFields) => ({
    success,
    emv: Type.String({ description: 'The BR Code a payer scans or pastes; empty when refused.' }),
    status,
    reason,
    receivedCents,
    txid: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{1,35}$' })),
    qrCodeUrl: Type.Optional(Type.String({ format: 'uri-reference', description: 'The QR code as a picture.' })),
  }),
  show: ({ success, status, reason, chargeId, reference, instrument }: Shown<PixInstrument>) => ({
    success,
    emv: instrument?.emv ?? '',
    status,
    reason,
    txid: reference,
    qrCodeUrl: instrument && `/charges/${chargeId}/pix.png`,
  }),
} as const satisfies MethodFacts;
