// Passkeys: registering, logging in, and showing one again before an act that outlives a session. The package for them is large, so it
// is loaded on first use.
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { setAuditActor, setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, noSuch } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { actorOfPerson, CHALLENGE_LIFE_MS, hashOfSecret, mayAddPasskey, newSecret, type Session } from './person.ts';
import { startSession } from './sessions.ts';
import { insertNotices } from './store-notices.ts';
import {
  deletePasskey,
  findPasskey,
  insertChallenge,
  insertPasskey,
  listPasskeys,
  markPasskeyUsed,
  type Passkey,
  type Purpose,
  takeChallenge,
} from './store-passkeys.ts';
import { findPerson } from './store-people.ts';
import { markProven } from './store-sessions.ts';

export type PasskeyDeps = {
  readonly db: Database;
  readonly clock: Clock;
  /** The origin and host name to which passkeys are bound. */
  publicUrl(): string;
};

/** EdDSA, ES256, RS256. Explicit, because the package would ask for ML-DSA-44 on a Node that has it, which an older one cannot verify. */
const ALGORITHMS = [-8, -7, -257];
const MAX_PASSKEYS = 20;

const load = () => import('@simplewebauthn/server');

function partyOf({ publicUrl }: PasskeyDeps) {
  const { origin, hostname } = new URL(publicUrl());
  return { origin, rpID: hostname };
}

async function newChallenge(
  { db, clock }: PasskeyDeps,
  purpose: Purpose,
  personId?: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = newSecret();
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + CHALLENGE_LIFE_MS);
  await insertChallenge(
    db,
    { hash: hashOfSecret(text), purpose, expiresAt, ...(personId !== undefined && { personId }) },
    now,
  );
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}

/** Whether a challenge is ours and unused; uses it up. */
function challengeTaker({ db, clock }: PasskeyDeps, purpose: Purpose, personId?: string) {
  return (challenge: string) =>
    takeChallenge(
      db,
      { hash: hashOfSecret(challenge), purpose, ...(personId !== undefined && { personId }) },
      clock.now(),
    );
}

/** The options for a browser to create a passkey. Refuses unless the person was authenticated within minutes. */
export async function registrationOptions(deps: PasskeyDeps, session: Session) {
  const { person } = session;
  requireProof(deps, session);
  const known = await listPasskeys(deps.db, person.id);
  if (known.length >= MAX_PASSKEYS)
    throw new AppError('wrong_state', `A person can have at most ${MAX_PASSKEYS} passkeys.`);
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: 'Trilho',
    rpID: partyOf(deps).rpID,
    userName: person.name,
    userDisplayName: person.name,
    userID: Uint8Array.from(Buffer.from(person.id)),
    challenge: await newChallenge(deps, 'register', person.id),
    excludeCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: CHALLENGE_LIFE_MS,
  });
}

/** Stores a new passkey; it also counts as showing one. */
export async function registerPasskey(
  deps: PasskeyDeps,
  session: Session,
  response: RegistrationResponseJSON,
): Promise<void> {
  const { person } = session;
  requireProof(deps, session);
  const { verifyRegistrationResponse } = await load();
  const { origin, rpID } = partyOf(deps);
  const { verified, registrationInfo } = await refuseBroken(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: challengeTaker(deps, 'register', person.id),
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!verified) throw badPasskey();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const createdAt = deps.clock.now();
  const passkey: Passkey = {
    id,
    personId: person.id,
    publicKey: Buffer.from(publicKey),
    signCount: counter,
    transports,
    createdAt,
  };
  await deps.db.transaction(async tx => {
    setAuditObject(person.id);
    if (!(await insertPasskey(tx, passkey))) throw new AppError('wrong_state', 'This passkey is already registered.');
    await markProven(tx, session.tokenHash, createdAt, 'passkey');
    await insertNotices(tx, [person.id], { at: createdAt, what: 'passkey', by: actorOfPerson(person) });
  });
}

/** The options for a browser to offer its passkeys for this service; with a session, those of its person. */
export async function assertionOptions(deps: PasskeyDeps, session?: Session) {
  const { generateAuthenticationOptions } = await load();
  const personId = session?.person.id;
  const known = personId === undefined ? [] : await listPasskeys(deps.db, personId);
  return generateAuthenticationOptions({
    rpID: partyOf(deps).rpID,
    challenge: await newChallenge(deps, session ? 'confirm' : 'login', personId),
    allowCredentials: known.map(({ id, transports }) => ({ id, transports: [...transports] })),
    userVerification: 'required',
    timeout: CHALLENGE_LIFE_MS,
  });
}

/** The passkey that an answer names; its signature is not verified yet. */
export async function whosePasskey(
  { db }: PasskeyDeps,
  { id }: AuthenticationResponseJSON,
): Promise<string | undefined> {
  return (await findPasskey(db, id))?.personId;
}

/** Starts a session by a passkey. */
export async function enterByPasskey(deps: PasskeyDeps, response: AuthenticationResponseJSON) {
  const { passkey, signCount } = await verifyAssertion(deps, response, 'login');
  const entered = await startSession(deps, 'passkey', async tx => {
    await markPasskeyUsed(tx, passkey.id, signCount, deps.clock.now());
    return findPerson(tx, passkey.personId);
  });
  if (!entered) throw badPasskey();
  return entered;
}

/** Records that the person of a session has just shown their passkey. */
export async function confirmByPasskey(
  deps: PasskeyDeps,
  session: Session,
  response: AuthenticationResponseJSON,
): Promise<void> {
  const { passkey, signCount } = await verifyAssertion(deps, response, 'confirm', session.person.id);
  const at = deps.clock.now();
  await deps.db.transaction(async tx => {
    setAuditActor(actorOfPerson(session.person));
    setAuditObject(session.person.id);
    await markPasskeyUsed(tx, passkey.id, signCount, at);
    await markProven(tx, session.tokenHash, at, 'passkey');
  });
}

/** Removes a passkey of the person; the others and the sessions stay. */
export async function removePasskey(deps: PasskeyDeps, { person }: Session, id: string): Promise<void> {
  await deps.db.transaction(async tx => {
    setAuditObject(person.id);
    if (!(await deletePasskey(tx, id, person.id))) throw noSuch('passkey');
  });
}

async function verifyAssertion(
  deps: PasskeyDeps,
  response: AuthenticationResponseJSON,
  purpose: Purpose,
  personId?: string,
) {
  const passkey = await findPasskey(deps.db, response.id);
  if (!passkey || (personId !== undefined && passkey.personId !== personId)) throw badPasskey();
  const { verifyAuthenticationResponse } = await load();
  const { origin, rpID } = partyOf(deps);
  const { verified, authenticationInfo } = await refuseBroken(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: challengeTaker(deps, purpose, personId),
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: { id: passkey.id, publicKey: Uint8Array.from(passkey.publicKey), counter: passkey.signCount },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw badPasskey();
  return { passkey, signCount: authenticationInfo.newCounter };
}

/** The package throws on any mismatch, and its message may quote input. A database outage is passed on. */
async function refuseBroken<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw badPasskey();
  }
}

function requireProof({ clock }: PasskeyDeps, session: Session): void {
  if (!mayAddPasskey(session, clock.now())) {
    throw new AppError('fresh_login_needed', 'Show a passkey, or log in again, before adding a passkey.');
  }
}

function badPasskey(): AppError {
  return new AppError('unauthorized', 'This passkey is unknown, or its answer came too late.');
}
