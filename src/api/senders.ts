// Halted senders, and resuming one.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { DateTime, OneOf, Ref, Text } from './schemas.ts';

const CLOSED = { additionalProperties: false } as const;
const NETWORK = OneOf(NETWORKS);

export const ResumeSenderBody = Type.Object(
  { network: NETWORK, sender: Text({ description: 'Its address, as in `GET /payouts/senders/halted`.' }) },
  {
    $id: 'HaltedSenderChoice',
    ...CLOSED,
    examples: [{ network: 'polygon', sender: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }],
  },
);

const HaltedSenderView = Type.Object(
  {
    network: NETWORK,
    sender: Type.String(),
    haltedAt: DateTime({
      description: 'When it was seen that its key is used elsewhere, or that the books are older than the chain.',
    }),
    words: Type.Optional(Type.String({ description: 'Why, and what to do.' })),
  },
  { $id: 'HaltedSender', ...CLOSED },
);

export const HaltedSendersView = Type.Object(
  { senders: Type.Array(Ref(HaltedSenderView), { description: 'Longest halted first.' }) },
  { $id: 'HaltedSenders', ...CLOSED },
);

export const HALTED_SENDERS_EXAMPLE: Static<typeof HaltedSendersView> = {
  senders: [
    {
      network: 'polygon',
      sender: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      haltedAt: '2026-11-12T14:00:00.000Z',
      words:
        'The chain has used the slots below 43, and the books gave out those below 42: the books are older than the chain, or the key is used elsewhere.',
    },
  ],
};

export const SENDER_SCHEMAS = [ResumeSenderBody, HaltedSenderView, HaltedSendersView];
