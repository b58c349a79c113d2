// The kind of rail that is only a pix key.
import type { Receiver } from '../br-code.ts';
import type { RailEntry, RailKind } from '../kind.ts';
import { pixKeyRail, STATIC_KEY_CAN } from './rail.ts';

export const staticKeyKind: RailKind = {
  name: 'static-key',
  method: 'pix',
  section: 'pixKey',
  takes: () => true,
  can: STATIC_KEY_CAN,
  describe: () => 'the static pix key',
  open: (receiver: RailEntry & Receiver) => ({ rail: pixKeyRail(receiver) }),
};
