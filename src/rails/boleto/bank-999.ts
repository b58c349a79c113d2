// The bank that is none: its slips are valid in form, and no bank takes them. The our number is the whole free field.
import { defineBank } from './bank.ts';

export const sandboxBank = defineBank({
  code: '999',
  name: 'Sandbox',
  widths: () => ({}),
  ourNumberDigits: () => 25,
  freeField: (_, ourNumber) => ourNumber,
  formatOurNumber: (_, ourNumber) => ourNumber,
});
