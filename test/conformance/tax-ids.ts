// CPF and CNPJ, valid and invalid, as a live charge checks its customer's document.
import assert from 'node:assert/strict';
import type { CustomerType } from '../../src/charges/charge.ts';
import {
  checkCharge,
  inferCustomerType,
  normaliseDocument,
  STRICT_CHARGE_RULES,
} from '../../src/charges/create/check.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Row, startTally } from './report.ts';

type TaxIds = { readonly [list in 'cpfValid' | 'cpfInvalid' | 'cnpjValid' | 'cnpjInvalid']: readonly string[] };

const rules = { chargeRules: STRICT_CHARGE_RULES, rails: sandboxRails };

export function checkTaxIds(file: string, lists: TaxIds): Row[] {
  const tally = startTally(file, 'accepted or refused');
  const expect = (entries: readonly string[], type: CustomerType, taken: boolean) => {
    for (const entry of entries) {
      // Some entries have a remark after the number.
      const document = normaliseDocument(entry.split(' ')[0]!);
      tally.check(entry, () => {
        const faults = checkCharge(rules, { customer: { document } }, new Date(0));
        assert.equal(faults.length === 0, taken, taken ? 'it was refused' : 'it was accepted');
        if (taken) assert.equal(inferCustomerType(document), type);
      });
    }
  };
  expect(lists.cpfValid, 'individual', true);
  expect(lists.cpfInvalid, 'individual', false);
  expect(lists.cnpjValid, 'company', true);
  expect(lists.cnpjInvalid, 'company', false);
  return [tally.row()];
}
