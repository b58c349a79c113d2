// Every place in which the database keeps secrets that sign.
import { LINK_SECRETS } from '../charges/store/links.ts';
import { WEBHOOK_SECRETS } from '../events/store-secrets.ts';
import { RECEIPT_SECRETS } from '../payouts/store/receipt-keys.ts';
import type { SecretStore } from '../storage/sealed-secrets.ts';

export const SECRET_STORES: readonly SecretStore[] = [WEBHOOK_SECRETS, RECEIPT_SECRETS, LINK_SECRETS];
