// Top-ups on the wire: coin from one sender of the service to another.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { SENT_SYMBOLS } from '../chains/networks.ts';
import { ApprovalsView } from './approvals.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const CLOSED = { additionalProperties: false } as const;

export const TopUpBody = Type.Object(
  {
    network: OneOf(NETWORKS),
    from: Text({ description: 'A sender of the service on the network, which has the coin.', maxLength: 100 }),
    to: Text({ description: 'Another sender of the service on the network.', maxLength: 100 }),
    quantity: Text({ description: 'Units of the coin of the network, as text.', maxLength: 100 }),
  },
  {
    $id: 'NewTopUp',
    ...CLOSED,
    examples: [
      {
        network: 'polygon',
        from: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        to: '0x280ca5Dc39910CDdBfE09D0657FB76Ca6505D63A',
        quantity: '5',
      },
    ],
  },
);

export const TopUpView = Type.Object(
  {
    id: Uuid(),
    state: OneOf(['approval_needed', 'lapsed', 'sent'], {
      description:
        '`sent`: it is the payout `payoutId`. `lapsed`: it was not approved within a day, and sends nothing.',
    }),
    network: OneOf(NETWORKS),
    symbol: OneOf(SENT_SYMBOLS, { description: 'The coin of the network.' }),
    quantity: Type.String({ description: 'Units of the coin, exact, as text.' }),
    from: Type.String(),
    to: Type.String(),
    requestedBy: Type.String({ description: 'The key, person or operator, as in the audit log.' }),
    createdAt: DateTime(),
    approvals: Type.Optional(ApprovalsView),
    payoutId: Type.Optional(Uuid({ description: 'The payout that sends it.' })),
  },
  { $id: 'TopUp', ...CLOSED },
);

export const TopUpsView = Type.Object(
  { topUps: Type.Array(Ref(TopUpView), { description: 'Oldest first.' }) },
  { $id: 'TopUps', ...CLOSED },
);

export const TOP_UP_EXAMPLE: Static<typeof TopUpView> = {
  id: '019a8c02-44aa-7b6e-9c4d-5e6f7a8b9c0d',
  state: 'sent',
  network: 'polygon',
  symbol: 'pol',
  quantity: '5',
  from: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  to: '0x280ca5Dc39910CDdBfE09D0657FB76Ca6505D63A',
  requestedBy: 'operator',
  createdAt: '2026-11-13T14:18:00.000Z',
  payoutId: '019a8c02-44ab-7b6e-9c4d-5e6f7a8b9c0d',
};

export const TOP_UPS_EXAMPLE: Static<typeof TopUpsView> = { topUps: [] };

export const TOP_UP_SCHEMAS = [TopUpBody, TopUpView, TopUpsView];
