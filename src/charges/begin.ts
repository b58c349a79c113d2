// The first moment of charges that were just written: what they announce, wait for and ask their rails for.
import { eventsInsertion } from '../events/store.ts';
import type { Queue } from '../jobs/queue.ts';
import { run, type Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';
import { isOrdered, type LivingCharge } from './charge.ts';
import { closesAt } from './owed.ts';
import { firstTimersInsertion } from './store-timers.ts';
import { eventOf } from './write.ts';

/** What the transaction says that writes the charges. */
export async function firstMoment(queue: Queue, charges: readonly LivingCharge[]): Promise<Statement[]> {
  return [
    eventsInsertion(charges.map(charge => eventOf(charge, 'charge.created', charge.createdAt))),
    firstTimersInsertion(charges.map(charge => ({ charge, closesAt: closesAt(charge), isOrdered: isOrdered(charge) }))),
    await queue.insertion('charge.issue', charges.flatMap(issuesOf)),
  ];
}

/** The same for one charge, said in its transaction. */
export async function beginLife({ queue }: { readonly queue: Queue }, tx: Sql, charge: LivingCharge): Promise<void> {
  for (const statement of await firstMoment(queue, [charge])) await run(tx, statement);
}

function issuesOf({ id: chargeId, accountId, ways }: LivingCharge) {
  return ways.filter(({ status }) => status === 'CREATING').map(({ method }) => ({ accountId, chargeId, method }));
}
