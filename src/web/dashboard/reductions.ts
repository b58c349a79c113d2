// An abatement and discounts: in the form of a new charge, and as people and tables read them.
import type { chargeView } from '../../charges/view.ts';
import { EARLY_DAYS } from '../../rails/reductions.ts';
import { html, type Piece } from '../html.ts';
import type { Field } from './act.ts';
import { centsIn, type Fields, percentIn, textField } from './form.ts';
import { cost, day } from './formats.ts';

const early = { group: 'What is taken off' };

export const EARLY_FIELDS: readonly Field[] = [
  { name: 'discount', apiName: 'discounts', label: 'Discount', hint: 'An amount, or a percent such as 5%', ...early },
  {
    name: 'discountUntil',
    apiName: 'discounts[0].until',
    label: 'Discount until',
    type: 'date',
    hint: 'The last day for paying with it.',
    ...early,
  },
  {
    ...{ name: 'discountPerDay', apiName: 'discounts[0].perDay', label: 'Or for each day before it is due' },
    type: 'select',
    options: [{ value: '', label: 'no' }, ...EARLY_DAYS.map(days => ({ value: days, label: `each ${days} day` }))],
    ...early,
  },
  { name: 'abatement', label: 'Abatement', hint: 'Taken off whenever it is paid: an amount, or a percent.', ...early },
];

function reductionIn(text: string) {
  return text.endsWith('%') ? { percent: percentIn(text) } : { amountCents: centsIn(text) };
}

/** One discount; the API takes more. */
export function reductionsIn(fields: Fields) {
  const names = ['discount', 'discountUntil', 'discountPerDay', 'abatement'];
  const [discount, until, perDay, abatement] = names.map(name => textField(fields, name));
  return {
    ...(discount && { discounts: [{ ...reductionIn(discount), ...(until && { until }), ...(perDay && { perDay }) }] }),
    ...(abatement && { abatement: reductionIn(abatement) }),
  };
}

type Shown = Pick<ReturnType<typeof chargeView>, 'abatement' | 'discounts' | 'currency'>;
type Reduction = NonNullable<Shown['abatement']>;

const written = ({ amountCents, percent }: Reduction) =>
  amountCents === undefined ? `${percent}%` : (amountCents / 100).toFixed(2);

const shown = ({ amountCents, percent }: Reduction, currency: string): Piece =>
  amountCents === undefined ? `${percent}%` : cost((amountCents / 100).toFixed(2), currency);

/** For people: `R$ 12.50` or `5%`. */
export function abatementOf({ abatement, currency }: Shown): Piece {
  return abatement && shown(abatement, currency);
}

/** For people, a discount a line: `5% until 30 Nov 2026`, or `R$ 0.50 per banking day`. */
export function discountsOf({ discounts, currency }: Shown): Piece {
  return discounts?.map((one, index) => {
    const when = one.until === undefined ? `per ${one.perDay} day` : `until ${day(one.until)}`;
    return html`${index > 0 && html`<br>`}${shown(one, currency)} ${when}`;
  });
}

/** For a table: `12.50` or `5%`. */
export function abatementText({ abatement }: Shown): string | undefined {
  return abatement && written(abatement);
}

/** For a table: `5% until 2026-11-30; 2% until 2026-12-10`, or `0.50 per banking day`. */
export function discountsText({ discounts }: Shown): string | undefined {
  return discounts
    ?.map(one => `${written(one)} ${one.until === undefined ? `per ${one.perDay} day` : `until ${one.until}`}`)
    .join('; ');
}
