// Which charges of cycles that have not begun hold money already: a step that withdraws such charges leaves these.
import { heldCents } from '../../charges/life.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { hasNotBegun, type Standing } from './life.ts';

/** Locks these charges, so that no payment comes between this read and the step. The caller holds the locks of the subscriptions. */
export async function withMoney(tx: Sql, standings: readonly Standing[], at: Date): Promise<Standing[]> {
  const today = civilDay(at);
  const ids = standings.flatMap(({ cycles }) => chargesAhead(cycles, today));
  const charges = ids.length === 0 ? [] : await lockCharges(tx, ids);
  const holding = new Set(charges.filter(charge => heldCents(charge) > 0n).map(({ id }) => id));
  return standings.map(({ subscription, cycles }) => ({
    subscription,
    cycles: cycles.map(cycle => (holding.has(cycle.chargeId ?? '') ? { ...cycle, hasMoney: true } : cycle)),
  }));
}

function chargesAhead(cycles: Standing['cycles'], today: CivilDay): string[] {
  return cycles.filter(cycle => hasNotBegun(cycle, today)).flatMap(({ chargeId }) => chargeId ?? []);
}
