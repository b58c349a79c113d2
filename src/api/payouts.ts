// What operators see of payouts and let them do.
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const scope = {
  network: Type.Optional(OneOf(NETWORKS, { description: 'Only this network; every one when absent.' })),
  symbol: Type.Optional(OneOf(SYMBOLS, { description: 'Only this asset; every one when absent.' })),
};

export const PauseBody = Type.Object(
  { ...scope, reason: Type.Optional(Text({ description: 'What the orders that wait show.' })) },
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

export const PauseView = Type.Object(
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
  { pauses: Type.Array(Ref(PauseView), { description: 'Oldest first; none when payouts go on.' }) },
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

export const PAYOUT_SCHEMAS = [PauseBody, ResumeBody, PauseView, PausesView];
