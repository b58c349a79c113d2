// The settings of idempotency keys.
import { keptFor } from '../lib/settings/kept-for.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

export const IDEMPOTENCY_SETTINGS = [
  {
    name: 'TRILHO_KEEP_IDEMPOTENCY_KEYS',
    kind: keptFor,
    default: 'P30D',
    meaning: 'How long a repeat with the same Idempotency-Key gets the first answer.',
  },
] as const satisfies readonly Setting[];

export type IdempotencySettings = Readonly<ReturnType<typeof idempotencySettingsOf>>;

export function idempotencySettingsOf(values: ValuesOf<typeof IDEMPOTENCY_SETTINGS>) {
  return { keepIdempotencyKeys: values.TRILHO_KEEP_IDEMPOTENCY_KEYS };
}
