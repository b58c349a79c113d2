// What quotes declare: their access rules and settings.
import type { Noun } from '../noun.ts';
import { QUOTE_SETTINGS, quoteSettingsOf } from './quote-settings.ts';

export const quotes = {
  tags: [{ name: 'Crypto quotes', description: 'Prices of crypto, each locked for five minutes.' }],
  settings: { table: QUOTE_SETTINGS, of: quoteSettingsOf },
  access: {
    ofOneAccount: {
      'POST /crypto/quotes': 'quotes:write',
      'GET /crypto/quotes/:id': 'quotes:read',
    },
  },
} as const satisfies Noun;
