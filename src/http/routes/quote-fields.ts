// Reads the fields of a quote from a body. Decimals are read from the text of the body, without floats.
import type { OrderBody } from '../../api/new-order.ts';
import type { QuoteBody } from '../../api/quotes.ts';
import type { DeepPartial } from '../../api/wire.ts';
import type { Fault } from '../../lib/errors.ts';
import { valueAt } from '../../lib/exact-json.ts';
import type { NewOrder } from '../../orders/create.ts';
import { type CheckedQuote, checkQuote } from '../../quotes/check.ts';
import type { Given } from '../server/body.ts';
import { readDecimal } from '../server/decimal-field.ts';

/** The request, or all of its faults. `body`: what passed the schema. */
export function readQuoteFields(given: Given, body: DeepPartial<QuoteBody>): CheckedQuote {
  const { accountId, symbol, network, currency } = body;
  const cost = readDecimal(given, body, 'cost');
  const quantity = readDecimal(given, body, 'quantity');
  const { request, faults } = checkQuote({
    ...(accountId !== undefined && { accountId }),
    ...(symbol && { symbol }),
    ...(network && { network }),
    ...(currency && { currency }),
    ...(cost.text !== undefined && { cost: cost.text }),
    ...(quantity.text !== undefined && { quantity: quantity.text }),
  });
  const allFaults = [...cost.faults, ...quantity.faults, ...faults];
  return { faults: allFaults, ...(request && allFaults.length === 0 && { request }) };
}

const QUOTE_FIELDS = ['symbol', 'network', 'currency', 'cost', 'quantity'] as const;
const REQUIRED_FIELDS = ['symbol', 'network', 'currency'] as const;

/** The price of an order: the id of a quote or the fields of one, not both. */
export function readQuoteChoice(
  given: Given,
  { accountId: _, ...body }: DeepPartial<OrderBody>,
): { readonly quote?: NewOrder['quote']; readonly faults: readonly Fault[] } {
  const present = QUOTE_FIELDS.filter(field => valueAt(given.body, [field]) !== undefined);
  if (body.quoteId !== undefined) {
    const faults = present.map(path => ({ path, code: 'exactly_one', message: 'must not be given beside quoteId' }));
    return { faults, ...(faults.length === 0 && { quote: { id: body.quoteId } }) };
  }
  if (present.length === 0) {
    return { faults: [{ path: 'quoteId', code: 'required', message: 'is required, or the fields of a quote' }] };
  }
  const missing = REQUIRED_FIELDS.filter(field => !present.includes(field));
  const { request, faults } = readQuoteFields(given, body);
  return {
    faults: [...missing.map(path => ({ path, code: 'required', message: 'is required' })), ...faults],
    ...(request && { quote: request }),
  };
}
