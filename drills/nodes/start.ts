// A node of a drill, in sandbox mode, where callers do everything: charges by pix and by boleto, refunds, orders.
import { setTimeout as wait } from 'node:timers/promises';
import type { RunningProgram } from '../../bench/programs.ts';
import { startTrilho } from '../../bench/trilho.ts';
import type { DrillDatabase } from '../database.ts';

/** Limits off: the load comes from one address. */
const NO_LIMITS = { TRILHO_RATE_LIMIT: '0', TRILHO_MAX_IN_FLIGHT: '0' };
const START_LIMIT_MS = 10 * 60_000;
const AGAIN_MS = 250;

type Place = Pick<DrillDatabase, 'dir' | 'url'>;

/** `folder`: of another version. */
export function startNode({ dir, url }: Place, folder?: string): Promise<RunningProgram> {
  return startTrilho({ dir, url: () => url }, 'postgres', { mode: 'sandbox', folder, env: NO_LIMITS });
}

/** A start during an outage of the database fails: it is repeated, as a supervisor does. */
export async function superviseStart(at: Place): Promise<RunningProgram> {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await startNode(at);
    } catch (error) {
      if (performance.now() > limit) throw error;
      await wait(AGAIN_MS);
    }
  }
}
