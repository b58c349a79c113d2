// CPF and CNPJ, right and wrong, as a live charge judges its customer's document.
import assert from 'node:assert/strict';
import type { ChargeDraft, CustomerType } from '../../src/charges/charge.ts';
import type { Fault } from '../../src/lib/errors.ts';
import { type Row, startTally } from './report.ts';

type TaxIds = { readonly [list in 'cpfValid' | 'cpfInvalid' | 'cnpjValid' | 'cnpjInvalid']: readonly string[] };

type Rules = {
  checkCharge(draft: ChargeDraft, at: { mode: 'live'; now: Date }): Fault[];
  inferCustomerType(document: string): CustomerType;
  normaliseDocument(text: string): string;
};

export async function checkTaxIds(file: string, lists: TaxIds): Promise<Row[]> {
  const { checkCharge, inferCustomerType, normaliseDocument } = await loadRules();
  const tally = startTally(file, 'taken or refused');
  const expect = (entries: readonly string[], type: CustomerType, taken: boolean) => {
    for (const entry of entries) {
      // Some entries carry a remark behind the number.
      const document = normaliseDocument(entry.split(' ')[0]!);
      tally.check(entry, () => {
        const faults = checkCharge({ customer: { document } }, { mode: 'live', now: new Date(0) });
        assert.equal(faults.length === 0, taken, taken ? 'it was refused' : 'it was taken');
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

/** The rules are on their way out of charge.ts into a file of their own; whichever has them serves. */
async function loadRules(): Promise<Rules> {
  for (const name of ['charge', 'check']) {
    const rules = (await import(`../../src/charges/${name}.ts`)) as Partial<Rules>;
    if (rules.checkCharge) return rules as Rules;
  }
  throw new Error('no file of charges has the rules of a document');
}
