// Alarms of payouts as answers and events show them.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { ALARM_REASONS } from '../payouts/watch/alarm.ts';
import { DateTime, OneOf, Ref, Uuid } from './schemas.ts';

const AlarmView = Type.Object(
  {
    id: Uuid(),
    reason: OneOf(ALARM_REASONS),
    network: OneOf(NETWORKS),
    subject: Type.Optional(
      Type.String({
        description:
          'The asset, coin, sender or payout that it concerns; the asset and the sender where several take slots; when absent, the network.',
      }),
    ),
    words: Type.String({ description: 'The finding when it was raised, for an operator.' }),
    raisedAt: DateTime(),
    clearedAt: Type.Optional(DateTime()),
  },
  { $id: 'Alarm', additionalProperties: false },
);

export const AlarmsView = Type.Object(
  { alarms: Type.Array(Ref(AlarmView)) },
  { $id: 'Alarms', additionalProperties: false },
);

export const ALARMS_EXAMPLE: Static<typeof AlarmsView> = {
  alarms: [
    {
      id: '019a8c05-3b1c-7d2e-8f3a-4b5c6d7e8f90',
      reason: 'low_funds',
      network: 'polygon',
      subject: 'usdt',
      words: 'The sender has 640 usdt; the limit is 1000.',
      raisedAt: '2026-11-13T14:18:00.000Z',
    },
  ],
};

export const ALARM_SCHEMAS = [AlarmView, AlarmsView];
