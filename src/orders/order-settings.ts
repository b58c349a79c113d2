// The settings of orders: when they are settled.
import { parseUtc } from '../lib/date-times.ts';
import { type Kind, kindOf, oneOf, type Wrong } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import type { SettlementRules } from './settlement.ts';

/** As hours: 17:30 is 17.5. */
const timeOfDay = (example: string) =>
  kindOf(`a time of day such as ${example}`, given => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
    return hours === undefined ? undefined : Number(hours) + Number(minutes) / 60;
  });

/** Days that are open (true) or closed (false) regardless of the calendar. */
const bankingDays: Kind<ReadonlyMap<string, boolean>> = {
  description: 'a list such as 2026-12-24=closed,2026-12-26=open, each day once',
  parse: given => {
    const days = new Map<string, boolean>();
    const wrong: Wrong[] = [];
    for (const entry of given.split(',').filter(Boolean)) {
      const [, day, standing] = /^(\d{4}-\d{2}-\d{2})=(open|closed)$/.exec(entry.trim()) ?? [];
      if (day !== undefined && parseUtc(`${day}T00:00Z`) && !days.has(day)) days.set(day, standing === 'open');
      else wrong.push({ message: `must be ${bankingDays.description}`, quote: entry });
    }
    return wrong.length > 0 ? { wrong } : { value: days };
  },
};

export const ORDER_SETTINGS = [
  {
    name: 'TRILHO_CUT_OFF',
    kind: timeOfDay('17:00'),
    default: '17:00',
    meaning: 'Time in São Paulo from which a payment counts for the next banking day.',
  },
  {
    name: 'TRILHO_SETTLES_AT',
    kind: timeOfDay('09:00'),
    default: '09:00',
    meaning: 'Time in São Paulo from which the orders of a settlement day are paid out.',
  },
  {
    name: 'TRILHO_SAME_DAY',
    kind: oneOf(['at_once', 'banking_days']),
    default: 'at_once',
    meaning:
      'When a D0 order is paid out: at_once at any hour of any day, banking_days on banking days by the cut-off.',
  },
  {
    name: 'TRILHO_BANKING_DAYS',
    kind: bankingDays,
    meaning: 'Days that differ from the Brazilian banking calendar.',
  },
] as const satisfies readonly Setting[];

type OrderSettings = { readonly settlement: SettlementRules };

export function orderSettingsOf(values: ValuesOf<typeof ORDER_SETTINGS>): OrderSettings {
  return {
    settlement: {
      cutOffHour: values.TRILHO_CUT_OFF,
      opensAtHour: values.TRILHO_SETTLES_AT,
      d0: values.TRILHO_SAME_DAY,
      bankingDays: values.TRILHO_BANKING_DAYS ?? new Map(),
    },
  };
}
