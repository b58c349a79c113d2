// The settings of payouts: limits of each asset, approvals, alarms, cold addresses, and the key that signs receipts.
import { type Static, Type } from 'typebox';
import { ApprovalEntry } from '../accounts/approval-settings.ts';
import { NETWORKS } from '../chains/asset.ts';
import { AmountOfAny, CLOSED } from '../chains/entry-fields.ts';
import { SENT_SYMBOLS } from '../chains/networks.ts';
import { parseUnits } from '../lib/decimals.ts';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import { TERM_FIELDS } from '../quotes/term-fields.ts';

/** The most of any asset; the decimals of each asset are checked at the start. */
const MAX_DECIMALS = 18;
/** The value for deliberately no limit. */
export const NO_LIMIT = 'none';
const Limit = () =>
  Type.Optional(
    Type.String({
      'x-check': {
        holds: value => typeof value !== 'string' || value === NO_LIMIT || (parseUnits(value, MAX_DECIMALS) ?? 0n) > 0n,
        message: 'must be a decimal above zero as text, such as "5000", or "none"',
      } satisfies Check,
    }),
  );
const Id = () => Type.Optional(Type.String({ minLength: 1, maxLength: 255 }));

const LimitEntry = Type.Object(
  {
    symbol: Type.Enum([...SENT_SYMBOLS], { type: 'string' }),
    network: Type.Optional(Type.Enum([...NETWORKS], { type: 'string' })),
    // Whose payouts the entry limits; without them, those of all together.
    accountId: Id(),
    keyId: Id(),
    perPayout: Limit(),
    approvalAbove: AmountOfAny(),
    perDay: Limit(),
    perDayToAddress: AmountOfAny(),
    lowFunds: AmountOfAny(),
    ceiling: AmountOfAny(),
    ...TERM_FIELDS,
  },
  CLOSED,
);

const PayoutEntry = Type.Object(
  {
    limits: Type.Optional(
      Type.Array(LimitEntry, {
        maxItems: 100,
        'x-check': {
          holds: hasDistinctAssets,
          message: 'must have each symbol once for a network, and once without, for each accountId and keyId',
        } satisfies Check,
      }),
    ),
    approvals: Type.Optional(Type.Array(ApprovalEntry, { maxItems: 50 })),
    alarms: Type.Optional(
      Type.Object(
        {
          stuckMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
          finalityLagMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
        },
        CLOSED,
      ),
    ),
    unsignedSlots: Type.Optional(Type.Enum(['void', 'hold'], { type: 'string' })),
    accountId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    coldAddresses: Type.Optional(
      Type.Object(
        Object.fromEntries(
          NETWORKS.map(network => [network, Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))]),
        ),
        CLOSED,
      ),
    ),
    receipts: Type.Optional(
      Type.Object({ keyFile: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })) }, CLOSED),
    ),
  },
  CLOSED,
);

export type LimitSettings = Readonly<Static<typeof LimitEntry>>;
export type PayoutSettings = Readonly<Static<typeof PayoutEntry>>;

export const PAYOUT_SETTINGS = [
  {
    name: 'TRILHO_PAYOUTS',
    kind: jsonOf(
      PayoutEntry,
      'a JSON object { limits: [{ symbol, network, perPayout, … }], approvals: [{ name, by, needed, … }], coldAddresses: { … }, alarms: { … }, … }',
    ),
    inFile: 'payouts',
    meaning:
      'Limits for crypto that leaves: by payout and by day; approvals; alarms; what happens to slots without a transfer; cold addresses; the key that signs receipts. Without it, live has small limits and a sandbox has no limits.',
  },
] as const satisfies readonly Setting[];

/** The settings of payouts, without their prefix. */
export function payoutSettingsOf(values: ValuesOf<typeof PAYOUT_SETTINGS>): { readonly payouts: PayoutSettings } {
  return { payouts: values.TRILHO_PAYOUTS ?? {} };
}

function hasDistinctAssets(limits: unknown): boolean {
  if (!Array.isArray(limits)) return true;
  const fields = ['symbol', 'network', 'accountId', 'keyId'];
  const names = limits.map((limit: unknown) => JSON.stringify(fields.map(field => wordAt(limit, field) ?? null)));
  return new Set(names).size === names.length;
}

function wordAt(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
