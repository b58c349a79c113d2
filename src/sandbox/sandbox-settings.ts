// The settings of a sandbox.
import { onOrOff } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

export const SANDBOX_SETTINGS = [
  {
    name: 'TRILHO_DEMO',
    kind: onOrOff,
    default: 'on',
    mode: 'sandbox',
    meaning: 'Whether the first start on a new database adds sixty invented crypto transactions.',
  },
] as const satisfies readonly Setting[];

export type SandboxSettings = Readonly<ReturnType<typeof sandboxSettingsOf>>;

export function sandboxSettingsOf(values: ValuesOf<typeof SANDBOX_SETTINGS>) {
  return { demo: values.TRILHO_DEMO };
}
