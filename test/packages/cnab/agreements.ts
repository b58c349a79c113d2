// An agreement with each bank, and a title, all invented.
import type { Agreement, Title } from '../../../packages/cnab/src/agreement.ts';

const holder = { name: 'Padaria São João Ltda', document: '11222333000181' };

export const AGREEMENTS: Readonly<Record<string, Agreement>> = {
  '001': {
    ...{ bank: '001', holder, variation: '019' },
    account: {
      ...{ agency: '1234', agencyDigit: '3', accountNumber: '12345', accountDigit: '5' },
      ...{ carteira: '17', beneficiaryCode: '1234567' },
    },
  },
  '033': {
    ...{ bank: '033', holder, transmissionCode: '123400001234567' },
    account: {
      ...{ agency: '1234', agencyDigit: '5', accountNumber: '130012345', accountDigit: '6' },
      ...{ carteira: '101', beneficiaryCode: '1234567' },
    },
  },
  '104': {
    ...{ bank: '104', holder },
    account: { agency: '1234', agencyDigit: '5', beneficiaryCode: '123456' },
  },
  '237': {
    ...{ bank: '237', holder },
    account: {
      ...{ agency: '1234', agencyDigit: '5', accountNumber: '54321', accountDigit: '6' },
      ...{ carteira: '09', beneficiaryCode: '7654321' },
    },
  },
  '341': {
    ...{ bank: '341', holder },
    account: { agency: '4459', accountNumber: '17600', accountDigit: '6', carteira: '109' },
  },
  '756': {
    ...{ bank: '756', holder },
    account: {
      ...{ agency: '4327', agencyDigit: '3', accountNumber: '3666', accountDigit: '8' },
      ...{ carteira: '1', modality: '01', beneficiaryCode: '42971' },
    },
  },
};

export const BANKS = Object.keys(AGREEMENTS);

export const TITLE: Title = {
  ourNumber: '42',
  documentNumber: '42',
  ownId: 'ABCDEFGHIJ0123456789KLMNO',
  issueDay: '2026-11-17',
  dueDay: '2026-12-10',
  amountCents: 12_345n,
  interestPercent: '1',
  finePercent: '2',
  writeOffDays: 30,
  payer: {
    name: 'José da Conceição',
    document: '52998224725',
    street: 'Rua das Flores, 10',
    neighborhood: 'Centro',
    postalCode: '01001000',
    city: 'São Paulo',
    state: 'SP',
  },
};

export const HEAD = { sequence: 7, day: '2026-11-17', time: '093000' } as const;
