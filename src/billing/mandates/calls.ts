// The PSP of a mandate, and what all work there needs.
import type { Log } from '../../lib/log.ts';
import type { AutomaticCalls } from '../../rails/automatic.ts';
import { findRail, type Rails } from '../../rails/rails.ts';
import type { ChangeDeps } from './change.ts';

export type LookDeps = ChangeDeps & { readonly rails: Rails; readonly log: Log };

/** What was sent may still be on its way for this long. */
export const SETTLED_AFTER_MS = 2 * 60_000;

/** Undefined for a rail that is no longer configured: once it is again, the next look goes on. */
export function callsOf({ rails, log }: Pick<LookDeps, 'rails' | 'log'>, name: string): AutomaticCalls | undefined {
  const calls = findRail(rails, 'pix', name)?.automatic;
  if (!calls) log.error('mandates are at a rail that has no Pix Automático any more; configure it', { rail: name });
  return calls;
}
