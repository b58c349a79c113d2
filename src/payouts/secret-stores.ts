// Every place in which the database keeps secrets that sign: those of the rooms before this one too.
import { LINK_SECRETS } from '../charges/store/links.ts';
import { WEBHOOK_SECRETS } from '../events/store-secrets.ts';
import type { SecretStore } from '../storage/sealed-secrets.ts';
import { RECEIPT_SECRETS } from './store-receipt-keys.ts';

export const SECRET_STORES: readonly SecretStore[] = [WEBHOOK_SECRETS, RECEIPT_SECRETS, LINK_SECRETS];
