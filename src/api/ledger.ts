// The ledger on the wire: balances and entries.
import { type Static, Type } from 'typebox';
import { LEDGER_CURRENCIES } from '../ledger/currency.ts';
import { BOOKS, ENTRY_KINDS } from '../ledger/entry.ts';
import { MAX_BALANCES } from '../ledger/list.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const Amount = Type.String({
  description: 'Exact, with its sign: reais as `159.90`, an asset in its units as `12.5`.',
});
const CurrencyName = OneOf(LEDGER_CURRENCIES, { description: '`BRL`, or an asset on its network.' });

export const BalancesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only books of this account.' })),
    currency: Type.Optional(CurrencyName),
  },
  { additionalProperties: false },
);

export const LedgerBalances = Type.Object(
  {
    balances: Type.Array(
      Type.Object(
        { accountId: Type.String(), book: OneOf(BOOKS), currency: CurrencyName, amount: Amount },
        { additionalProperties: false },
      ),
      { maxItems: MAX_BALANCES },
    ),
    sums: Type.Record(Type.String(), Type.String(), {
      description: 'The sum of all matching books of a currency, including those not shown: always `0`.',
    }),
    hasMore: Type.Boolean({ description: `True when there are more than ${MAX_BALANCES}: filter by account.` }),
  },
  { $id: 'LedgerBalances', additionalProperties: false },
);

export const BALANCES_EXAMPLE: Static<typeof LedgerBalances> = {
  balances: [
    { accountId: 'acme', book: 'payer', currency: 'BRL', amount: '-159.90' },
    { accountId: 'acme', book: 'settled', currency: 'BRL', amount: '159.90' },
  ],
  sums: { BRL: '0' },
  hasMore: false,
};

export const EntriesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only entries of this account.' })),
    chargeId: Type.Optional(Uuid({ description: 'Only entries of this charge.' })),
    transactionId: Type.Optional(Uuid({ description: 'Only entries of this crypto transaction.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

const LedgerEntry = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(ENTRY_KINDS),
    causeId: Uuid({
      description:
        'What moved: a payment, a charge whose boleto was credited, a refund, a commitment of an order, or a payout.',
    }),
    accountId: Type.String(),
    chargeId: Type.Optional(Uuid()),
    transactionId: Type.Optional(Uuid()),
    at: DateTime({ description: 'When it moved: for a payment, when it was paid.' }),
    lines: Type.Array(
      Type.Object({ book: OneOf(BOOKS), currency: CurrencyName, amount: Amount }, { additionalProperties: false }),
      { description: 'They sum to zero in each currency.' },
    ),
  },
  { $id: 'LedgerEntry', additionalProperties: false },
);

export const LedgerPage = Type.Object(
  { entries: Type.Array(Ref(LedgerEntry)), ...pageCounts },
  { $id: 'LedgerPage', additionalProperties: false },
);

export const ENTRIES_EXAMPLE: Static<typeof LedgerPage> = {
  entries: [
    {
      id: '019a9c12-0d31-7b1e-8f00-6c5b4a392817',
      kind: 'payment',
      causeId: '019a9c10-1b20-7f43-9a0c-5e4d3c2b1a09',
      accountId: 'acme',
      chargeId: '019a9c0f-3a10-7d21-8c4b-1f0e9d8c7b6a',
      at: '2026-12-10T13:00:00.000Z',
      lines: [
        { book: 'settled', currency: 'BRL', amount: '159.90' },
        { book: 'payer', currency: 'BRL', amount: '-159.90' },
      ],
    },
  ],
  ...ONE_PAGE,
};

export const LEDGER_SCHEMAS = [LedgerBalances, LedgerEntry, LedgerPage];
