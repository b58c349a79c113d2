// Published BR Codes: the valid ones are found intact, the damaged ones are not.
import assert from 'node:assert/strict';
import { isBrCodeIntact } from '../../src/rails/br-code.ts';
import { type Row, startTally } from './report.ts';

type BrCodes = {
  readonly valid: readonly { readonly emv: string; readonly kind: string }[];
  readonly invalid: readonly { readonly emv: string; readonly why: string }[];
};

export function checkBrCodes(file: string, { valid, invalid }: BrCodes): Row[] {
  const tally = startTally(file, 'intact or not');
  for (const { emv, kind } of valid) tally.check(kind, () => assert.equal(isBrCodeIntact(emv), true));
  for (const { emv, why } of invalid) tally.check(why, () => assert.equal(isBrCodeIntact(emv), false));
  return [tally.row()];
}
