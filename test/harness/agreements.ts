// Agreements with banks as entries of `boletos`, and charges that their boletos are for.
import type { Agreement } from '@trilho/cnab';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { AGREEMENTS } from '../packages/cnab/agreements.ts';
import { chargeBody } from './bodies.ts';

/** An invented agreement, that with a bank of this code or another one. */
export function agreementEntry(of: string | Agreement, changes: Partial<AgreementEntry> = {}): AgreementEntry {
  const { account, holder, ...others } = typeof of === 'string' ? AGREEMENTS[of]! : of;
  const { name: holderName, document: holderDocument } = holder;
  return { name: `bank${others.bank}:main`, ...account, ...others, holderName, holderDocument, ...changes };
}

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };

/** A charge with everything that a bank requires. */
export function boletoBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return chargeBody({ customer, methods: ['boleto'], ...changes });
}
