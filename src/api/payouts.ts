// Payouts, pauses, sweeps and networks on the wire.
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { SENT_SYMBOLS } from '../chains/networks.ts';
import { PAYOUT_STATES } from '../payouts/payout.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const scope = {
  network: Type.Optional(OneOf(NETWORKS, { description: 'Only this network; every one when absent.' })),
  symbol: Type.Optional(OneOf(SYMBOLS, { description: 'Only this asset; every one when absent.' })),
};

export const PauseBody = Type.Object(
  { ...scope, reason: Type.Optional(Text({ description: 'Shown on the waiting orders.' })) },
  {
    $id: 'NewPause',
    additionalProperties: false,
    examples: [{ network: 'polygon', reason: 'key rotation' }, {}],
  },
);

export const ResumeBody = Type.Object(scope, {
  $id: 'EndOfPause',
  additionalProperties: false,
  examples: [{ network: 'polygon' }, {}],
});

const PauseView = Type.Object(
  {
    id: Uuid(),
    ...scope,
    reason: Type.Optional(Type.String()),
    pausedAt: DateTime(),
    pausedBy: Type.String({ description: 'Who paused: `key:<id>`, `operator` or `sandbox`.' }),
  },
  { $id: 'Pause', additionalProperties: false },
);

export const PausesView = Type.Object(
  { pauses: Type.Array(Ref(PauseView), { description: 'Oldest first; empty when nothing is paused.' }) },
  { $id: 'Pauses', additionalProperties: false },
);

export const PAUSES_EXAMPLE: Static<typeof PausesView> = {
  pauses: [
    {
      id: '019a8c01-77aa-7c1e-8b5d-2f6a4c3d9e10',
      network: 'polygon',
      reason: 'key rotation',
      pausedAt: '2026-11-12T14:00:00.000Z',
      pausedBy: 'operator',
    },
  ],
};

const CLOSED = { additionalProperties: false } as const;
const Amount = (description: string) => Type.String({ description });

export const PayoutView = Type.Object(
  {
    id: Uuid(),
    purpose: OneOf(['order', 'cold_sweep', 'top_up', 'gap_fill'], {
      description:
        '`top_up`: coin of the network for another sender of the service. `gap_fill`: it moves nothing and uses up a skipped slot.',
    }),
    transactionId: Type.Optional(Uuid({ description: 'The order that it is for.' })),
    accountId: Type.String(),
    state: OneOf(PAYOUT_STATES),
    network: OneOf(NETWORKS),
    symbol: OneOf(SENT_SYMBOLS),
    quantity: Amount('Units of the asset, exact, as text.'),
    destination: Type.String(),
    sender: Type.String(),
    nonce: Type.String({ description: 'With network and sender, the slot of the payout.' }),
    confirmations: Type.Integer({ minimum: 0 }),
    hash: Type.Optional(Type.String({ description: 'The mined attempt.' })),
    block: Type.Optional(Type.Object({ number: Type.Integer(), hash: Type.String() }, CLOSED)),
    networkFee: Type.Optional(Type.Object({ amount: Amount('The fee.'), coin: Type.String() }, CLOSED)),
    leftQuantity: Type.Optional(Amount('What left the sender, when it differs from what was asked for.')),
    lastSighting: Type.Optional(Type.String({ description: 'The result of the last lookup.' })),
    voidRequestedAt: Type.Optional(DateTime()),
    attempts: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1 }),
          kind: OneOf(['transfer', 'void']),
          hash: Type.String(),
          signedAt: DateTime(),
        },
        CLOSED,
      ),
      { description: 'Signed transactions for the slot, of which at most one is mined.' },
    ),
    createdAt: DateTime({ description: 'When it took its slot.' }),
    updatedAt: DateTime(),
  },
  { $id: 'Payout', ...CLOSED },
);

export const ColdSweepBody = Type.Object(
  {
    network: OneOf(NETWORKS),
    symbol: OneOf(SYMBOLS),
    quantity: Type.Optional(
      Text({
        description: 'Units of the asset as text, or `all` of the surplus. When absent, what is above the ceiling.',
      }),
    ),
  },
  { $id: 'NewColdSweep', ...CLOSED, examples: [{ network: 'polygon', symbol: 'usdt', quantity: '5000' }] },
);

export const FillGapBody = Type.Object(
  { network: OneOf(NETWORKS) },
  { $id: 'GapChoice', ...CLOSED, examples: [{ network: 'polygon' }] },
);

export const PayoutsQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only payouts of this account.' })),
    network: Type.Optional(OneOf(NETWORKS, { description: 'Only this network.' })),
    state: Type.Optional(OneOf(PAYOUT_STATES, { description: 'Only this state.' })),
    ...pageParameters,
  },
  CLOSED,
);

export const PayoutsPage = Type.Object(
  { payouts: Type.Array(Ref(PayoutView)), ...pageCounts },
  { $id: 'PayoutsPage', ...CLOSED },
);

export const PAYOUT_EXAMPLE: Static<typeof PayoutView> = {
  id: '019a8c02-1f3a-7b6e-9c4d-5e6f7a8b9c0d',
  purpose: 'order',
  transactionId: '019a7f3c-5b20-7e61-b3a4-90c1d2e3f405',
  accountId: 'acme',
  state: 'final',
  network: 'polygon',
  symbol: 'usdc',
  quantity: '462.962962',
  destination: '0x280ca5Dc39910CDdBfE09D0657FB76Ca6505D63A',
  sender: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  nonce: '41',
  confirmations: 70,
  hash: '0x7f3c5b207e61b3a490c1d2e3f4058c021f3a7b6e9c4d5e6f7a8b9c0d1e2f3a4b',
  block: { number: 78_123_456, hash: '0x1e2f3a4b7f3c5b207e61b3a490c1d2e3f4058c021f3a7b6e9c4d5e6f7a8b9c0d' },
  networkFee: { amount: '0.002145', coin: 'pol' },
  lastSighting: 'mined',
  attempts: [
    {
      number: 1,
      kind: 'transfer',
      hash: '0x7f3c5b207e61b3a490c1d2e3f4058c021f3a7b6e9c4d5e6f7a8b9c0d1e2f3a4b',
      signedAt: '2026-11-13T14:18:00.000Z',
    },
  ],
  createdAt: '2026-11-13T14:18:00.000Z',
  updatedAt: '2026-11-13T14:20:00.000Z',
};

export const COLD_SWEEP_EXAMPLE: Static<typeof PayoutView> = {
  id: '019a8c07-2b3c-7d4e-8f5a-6b7c8d9e0f1a',
  purpose: 'cold_sweep',
  accountId: 'operator',
  state: 'open',
  network: 'polygon',
  symbol: 'usdt',
  quantity: '5000',
  destination: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  sender: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  nonce: '42',
  confirmations: 0,
  attempts: [],
  createdAt: '2026-11-13T14:30:00.000Z',
  updatedAt: '2026-11-13T14:30:00.000Z',
};

export const GapFillsView = Type.Object(
  { payouts: Type.Array(Ref(PayoutView), { description: 'Lowest slot first.' }) },
  { $id: 'GapFills', ...CLOSED },
);

export const GAP_FILLS_EXAMPLE: Static<typeof GapFillsView> = {
  payouts: [
    {
      ...COLD_SWEEP_EXAMPLE,
      id: '019a8c09-3c4d-7e5f-9a6b-0c1d2e3f4a5b',
      purpose: 'gap_fill',
      quantity: '0',
      destination: COLD_SWEEP_EXAMPLE.sender,
      voidRequestedAt: COLD_SWEEP_EXAMPLE.createdAt,
    },
  ],
};

export const PAYOUTS_EXAMPLE: Static<typeof PayoutsPage> = {
  payouts: [PAYOUT_EXAMPLE],
  ...ONE_PAGE,
};

const ChainView = Type.Object(
  {
    network: OneOf(NETWORKS),
    name: Type.String(),
    head: Type.Optional(Type.String({ description: 'The newest block; absent when no node answers.' })),
    finalityLagSeconds: Type.Optional(
      Type.Integer({ minimum: 0, description: 'How far the final block is behind the newest; absent when unknown.' }),
    ),
    confirmationsNeeded: Type.Integer({ minimum: 1 }),
    window: Type.Integer({ minimum: 1, description: 'Slots of one sender that may be open at once.' }),
    providers: Type.Array(
      Type.Object({ name: Type.String(), isAnswering: Type.Boolean(), words: Type.Optional(Type.String()) }, CLOSED),
    ),
    senders: Type.Array(
      Type.Object(
        {
          address: Type.String(),
          takesSlots: Type.Boolean({ description: 'Whether new payouts use it.' }),
          nextNonce: Type.Optional(Type.String()),
          openSlots: Type.Optional(Type.Integer({ minimum: 0, description: 'Slots that no block has used.' })),
          missingSlots: Type.Optional(
            Type.Array(Type.String(), {
              description:
                'Skipped slots, so that nothing after them is mined; `POST /payouts/senders/fill-gap` fills them.',
            }),
          ),
          haltedAt: Type.Optional(DateTime({ description: 'When use of its key elsewhere was seen.' })),
          balances: Type.Array(Type.Object({ symbol: Type.String(), amount: Amount('Exact, as text.') }, CLOSED), {
            description: 'The coin of the network first; empty when no node answers.',
          }),
        },
        CLOSED,
      ),
    ),
    faults: Type.Array(Type.String(), { description: 'Descriptions of the faults; empty when there are no faults.' }),
  },
  { $id: 'ChainStatus', ...CLOSED },
);

export const ChainsView = Type.Object({ chains: Type.Array(Ref(ChainView)) }, { $id: 'ChainStatuses', ...CLOSED });

export const CHAINS_EXAMPLE: Static<typeof ChainsView> = {
  chains: [
    {
      network: 'polygon',
      name: 'polygon',
      head: '78123526',
      finalityLagSeconds: 4,
      confirmationsNeeded: 64,
      window: 8,
      providers: [{ name: 'own', isAnswering: true }],
      senders: [
        {
          address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
          takesSlots: true,
          nextNonce: '42',
          openSlots: 0,
          balances: [
            { symbol: 'pol', amount: '31.5' },
            { symbol: 'usdt', amount: '12000' },
            { symbol: 'usdc', amount: '8400.25' },
          ],
        },
      ],
      faults: [],
    },
  ],
};

export const PAYOUT_SCHEMAS = [
  PauseBody,
  ResumeBody,
  PauseView,
  PausesView,
  PayoutView,
  PayoutsPage,
  ColdSweepBody,
  FillGapBody,
  GapFillsView,
  ChainView,
  ChainsView,
];
