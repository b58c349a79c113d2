// The amount owed on a charge on a day, as the API shows it, for each method that its rail accepted.
import type { CivilDay } from '../lib/civil-days.ts';
import { byMethod, type Method } from '../rails/methods/methods.ts';
import type { Charge } from './charge.ts';
import { owedOn } from './owed.ts';

export function amountView(charge: Charge, on: CivilDay) {
  return {
    on,
    currency: 'BRL' as const,
    ...byMethod(method => methodAmount(charge, method, on)),
  };
}

function methodAmount(charge: Charge, method: Method, on: CivilDay) {
  if (!charge.methods.some(way => way.method === method && way.status !== 'FAILED')) return undefined;
  const { on: _on, method: _method, lines, totalCents, ...rest } = owedOn(charge, method, on);
  const shown = lines.map(line => ({ ...line, amountCents: Number(line.amountCents) }));
  return { ...rest, lines: shown, totalCents: Number(totalCents) };
}
