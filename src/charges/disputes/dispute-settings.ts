// The setting of disputes.
import { wholeNumber } from '../../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../../lib/settings/setting.ts';

const MAX_DAYS = 365;

export const DISPUTE_SETTINGS = [
  {
    name: 'TRILHO_DISPUTE_DAYS',
    kind: wholeNumber(0, MAX_DAYS),
    default: '11',
    meaning:
      'After how many days the money of a dispute is probably no longer blocked. PSPs do not report it, so this is an estimate until a person records the day; 0: no estimate.',
  },
] as const satisfies readonly Setting[];

export function disputeSettingsOf(values: ValuesOf<typeof DISPUTE_SETTINGS>) {
  return { disputeDays: values.TRILHO_DISPUTE_DAYS };
}
