// Senders whose key was used elsewhere, and letting one go on.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { DateTime, OneOf, Ref, Text } from './schemas.ts';

const CLOSED = { additionalProperties: false } as const;
const NETWORK = OneOf(NETWORKS);

export const ResumeSenderBody = Type.Object(
  { network: NETWORK, sender: Text({ description: 'Its address, as `GET /payouts/senders/halted` shows it.' }) },
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
    haltedAt: DateTime({ description: 'When its key was seen used elsewhere.' }),
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
    },
  ],
};

export const SENDER_SCHEMAS = [ResumeSenderBody, HaltedSenderView, HaltedSendersView];
