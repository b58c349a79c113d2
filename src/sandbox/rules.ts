// The rules of a sandbox, where callers can try any request: invented documents, past due dates.
import type { ChargeRules } from '../charges/create/check.ts';

export const SANDBOX_CHARGE_RULES: ChargeRules = {
  checksDigits: false,
  refusesPastDueDates: false,
};
