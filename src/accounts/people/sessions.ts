// Sessions of people, looked up in the database with every request, so that every node refuses an ended one at once.
import { setAuditActor, setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Sql } from '../../storage/database.ts';
import {
  actorOfPerson,
  hashOfSecret,
  isOver,
  isSecret,
  newSecret,
  type Person,
  type Proof,
  SESSION_MAX_MS,
  type Session,
} from './person.ts';
import { deleteOtherSessions, deleteSession, findSession, insertSession, markSessionUsed } from './store-sessions.ts';

type Deps = { readonly db: Sql; readonly clock: Clock; readonly log: Log };

type Sessions = {
  /** The session of a cookie; undefined when it is unknown or over, or its person was removed. `isUse`: a person did something. */
  find(token: string, isUse: boolean): Promise<Session | undefined>;
  /** Whether this node has found this session before. */
  isKnown(token: string): boolean;
};

/** The last use is written at most this often. */
const WRITE_USE_EVERY_MS = 60_000;
const MAX_KNOWN = 10_000;

export function openSessions({ db, clock, log }: Deps): Sessions {
  const known = new Set<string>();

  function remember(name: string): void {
    known.add(name);
    const [oldest] = known;
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  return {
    find: async (token, isUse) => {
      if (!isSecret(token)) return undefined;
      const hash = hashOfSecret(token);
      const session = await findSession(db, hash);
      const now = clock.now();
      if (!session || isOver(session, now)) return undefined;
      remember(hash.toString('hex'));
      if (isUse && now.getTime() - session.lastUsedAt.getTime() >= WRITE_USE_EVERY_MS) {
        // In the background: no request waits for it or fails with it.
        markSessionUsed(db, hash, now).catch(error => log.warn('the last use of a session was not written', { error }));
      }
      return session;
    },
    isKnown: token => isSecret(token) && known.has(hashOfSecret(token).toString('hex')),
  };
}

/** Starts a session for an authenticated person. The audit log has them as the actor of the transaction. */
export async function startSession(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  provenBy: Proof,
  prove: (tx: Sql) => Promise<Person | undefined>,
): Promise<{ readonly token: string; readonly person: Person } | undefined> {
  const token = newSecret();
  const at = clock.now();
  return db.transaction(async tx => {
    const person = await prove(tx);
    if (!person) return undefined;
    setAuditActor(actorOfPerson(person));
    setAuditObject(person.id);
    const expiresAt = new Date(at.getTime() + SESSION_MAX_MS);
    await insertSession(tx, { tokenHash: hashOfSecret(token), personId: person.id, at, expiresAt, provenBy });
    return { token, person };
  });
}

/** Ends one other session of the same person, or all others; this one stays. */
export async function endOtherSessions(
  { db }: { readonly db: Database },
  session: Session,
  id: string | undefined,
): Promise<void> {
  await db.transaction(async tx => {
    setAuditObject(session.person.id);
    await deleteOtherSessions(tx, session, id);
  });
}

/** After the commit every node refuses it. */
export async function endSession({ db }: { readonly db: Database }, { tokenHash, person }: Session): Promise<void> {
  await db.transaction(async tx => {
    setAuditObject(person.id);
    await deleteSession(tx, tokenHash);
  });
}
