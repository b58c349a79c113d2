// What can be set about payouts: how much may leave, of each asset, who approves it, what raises an alarm, and which key signs receipts.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { SENT_SYMBOLS } from '../chains/networks.ts';
import { parseUnits } from '../lib/decimals.ts';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf } from '../lib/settings/kinds.ts';

const CLOSED = { additionalProperties: false } as const;
/** No asset has more; how many an asset really has is checked at the start. */
const MAX_DECIMALS = 18;

/** Decimal text in units of the asset, since a JSON number could lose digits. */
const Amount = () =>
  Type.Optional(
    Type.String({
      'x-check': {
        holds: value => typeof value !== 'string' || (parseUnits(value, MAX_DECIMALS) ?? 0n) > 0n,
        message: 'must be a decimal above zero as text, such as "5000"',
      } satisfies Check,
    }),
  );

/** `none`: no limit, on purpose. */
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

export const LimitEntry = Type.Object(
  {
    symbol: Type.Enum([...SENT_SYMBOLS], { type: 'string' }),
    network: Type.Optional(Type.Enum([...NETWORKS], { type: 'string' })),
    // Whose payouts the entry is about; without them those of all together.
    accountId: Id(),
    keyId: Id(),
    perPayout: Limit(),
    approvalAbove: Amount(),
    perDay: Limit(),
    perDayToAddress: Amount(),
    lowFunds: Amount(),
    ceiling: Amount(),
    minimum: Amount(),
    networkFee: Amount(),
  },
  CLOSED,
);

/** Who approves, how many of them, and what. */
export const ApprovalEntry = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60 }),
    // As the audit log writes them: the id of a key, `person:` and an id, or `operator`.
    by: Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { minItems: 1, maxItems: 50, uniqueItems: true }),
    needed: Type.Integer({ minimum: 1, maximum: 10 }),
    wallets: Type.Optional(Type.Boolean()),
    accountId: Id(),
    symbol: Type.Optional(Type.Enum([...SENT_SYMBOLS], { type: 'string' })),
    network: Type.Optional(Type.Enum([...NETWORKS], { type: 'string' })),
    above: Amount(),
  },
  CLOSED,
);

export const PayoutEntry = Type.Object(
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
export type ApprovalSettings = Readonly<Static<typeof ApprovalEntry>>;
export type PayoutSettings = Readonly<Static<typeof PayoutEntry>>;

export const payoutSettings = jsonOf(
  PayoutEntry,
  'a JSON object { limits: [{ symbol, network, perPayout, … }], approvals: [{ name, by, needed, … }], coldAddresses: { … }, alarms: { … }, … }',
);

function hasDistinctAssets(limits: unknown): boolean {
  if (!Array.isArray(limits)) return true;
  const fields = ['symbol', 'network', 'accountId', 'keyId'];
  const names = limits.map((limit: unknown) => JSON.stringify(fields.map(field => wordAt(limit, field) ?? null)));
  return new Set(names).size === names.length;
}

function wordAt(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}
