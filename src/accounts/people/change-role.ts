// Changes the role of a person. Sessions are looked up with every request, so it takes effect at once.
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { requireLasting } from '../lasting.ts';
import type { Role } from '../roles.ts';
import { insertNotices } from './store-notices.ts';
import { findPerson, lockOwners, setRole } from './store-people.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** The last owner of all accounts stays an owner. The present role again changes nothing. Refuses a key that expires. */
export async function changeRole(
  { db, clock }: Deps,
  id: string,
  { role, by, accountId }: { readonly role: Role; readonly by: string; readonly accountId?: string | undefined },
): Promise<void> {
  const at = clock.now();
  await db.transaction(async tx => {
    setAuditObject(id);
    await requireLasting(tx, by);
    const owners = await lockOwners(tx);
    const person = requireFound(await findPerson(tx, id, accountId), 'person');
    if (person.role === role) return;
    if (owners.length === 1 && owners[0] === id) {
      throw new AppError('wrong_state', 'This is the last owner: invite another one first.');
    }
    await setRole(tx, id, role);
    await insertNotices(tx, [id], { at, what: 'role', by });
  });
}
