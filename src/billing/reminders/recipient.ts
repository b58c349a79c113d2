// Who gets the reminders of a charge: the customer as they are now, or the payer that the charge names.
import type { Charge } from '../../charges/charge.ts';
import type { Sql } from '../../storage/database.ts';
import type { Locale } from '../customers/customer.ts';
import { findCustomer } from '../customers/store.ts';

export type Recipient = {
  /** Absent: no address is known, or the customer was erased. */
  readonly address?: string;
  readonly locale?: Locale;
};

export async function findRecipient(sql: Sql, { accountId, customerId, customer }: Charge): Promise<Recipient> {
  const known = customerId === undefined ? undefined : await findCustomer(sql, customerId, accountId);
  if (known?.erasedAt) return {};
  const address = known?.email ?? customer.email;
  return { ...(address !== undefined && { address }), ...(known?.locale && { locale: known.locale }) };
}
