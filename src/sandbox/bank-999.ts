// A bank that does not exist: its boletos have a valid form, and no bank accepts them. The our number fills the free field.
import { defineBank } from '@trilho/cnab';

export const sandboxBank = defineBank({
  code: '999',
  name: 'Sandbox',
  widths: () => ({}),
  ourNumberDigits: () => 25,
  numberedBy: [],
  freeField: (_, ourNumber) => ourNumber,
  formatOurNumber: (_, ourNumber) => ourNumber,
});
