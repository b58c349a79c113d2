// The settings of approvals: who approves payouts and wallets, and how many approvals are needed.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { AmountOfAny, CLOSED } from '../chains/entry-fields.ts';
import { SENT_SYMBOLS } from '../chains/networks.ts';

/** An entry of `payouts.approvals`. */
export const ApprovalEntry = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 60 }),
    // As in the audit log: the id of a key, `person:` and an id, or `operator`.
    by: Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { minItems: 1, maxItems: 50, uniqueItems: true }),
    needed: Type.Integer({ minimum: 1, maximum: 10 }),
    wallets: Type.Optional(Type.Boolean()),
    accountId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    symbol: Type.Optional(Type.Enum([...SENT_SYMBOLS], { type: 'string' })),
    network: Type.Optional(Type.Enum([...NETWORKS], { type: 'string' })),
    above: AmountOfAny(),
  },
  CLOSED,
);

export type ApprovalSettings = Readonly<Static<typeof ApprovalEntry>>;
