// The approvals of a payout or a wallet, in answers.
import { Type } from 'typebox';
import { DateTime } from './schemas.ts';

export const ApprovalsView = Type.Object(
  {
    given: Type.Array(
      Type.Object(
        { by: Type.String({ description: 'The key, person or operator, as in the audit log.' }), at: DateTime() },
        { additionalProperties: false },
      ),
      { description: 'Every approval that was given, oldest first.' },
    ),
    groups: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'As in `payouts.approvals` of the settings.' }),
          needed: Type.Integer({ minimum: 1 }),
          given: Type.Integer({
            minimum: 0,
            description: 'Approvals that count: those with a shared maker count once.',
          }),
          missing: Type.Integer({ minimum: 0 }),
        },
        { additionalProperties: false },
      ),
      { description: 'Every group that must approve it; empty where one other key or person is enough.' },
    ),
  },
  { additionalProperties: false, description: 'Present once an approval was given, or where a group must give one.' },
);
