// People who log in to the dashboard: types and pure rules.
import { createHash, randomBytes } from 'node:crypto';
import { type Reach, scopesWithin } from '../reach.ts';
import { ROLE_SCOPES, type Role } from '../roles.ts';
import type { Scope } from '../scopes.ts';

export type Person = {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The one account that the person works for; absent: all of them. */
  readonly accountId?: string;
  readonly createdAt: Date;
};

/** How a person was authenticated. */
export type Proof = 'passkey' | 'link' | 'recovery_code';

export type Session = {
  readonly tokenHash: Buffer;
  readonly person: Person;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
  readonly provenAt: Date;
  readonly provenBy: Proof;
  readonly hasPasskey: boolean;
  /** Whether the person's access has changed in a way that was not seen in this session. */
  readonly hasNews: boolean;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const SESSION_IDLE_MS = 12 * HOUR_MS;
export const SESSION_MAX_MS = 7 * 24 * HOUR_MS;
export const INVITE_LIFE_MS = 24 * HOUR_MS;
export const LOGIN_LINK_LIFE_MS = 15 * MINUTE_MS;
/** How long a login link waits for the approval of a second owner. */
export const LINK_REQUEST_LIFE_MS = 24 * HOUR_MS;
export const CHALLENGE_LIFE_MS = 5 * MINUTE_MS;
/** How long a proof is valid for acts that outlive a session. */
const FRESH_MS = 5 * MINUTE_MS;

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits: a session, or a link. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether text has the form of a secret; other text costs no query. */
export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

export function hashOfSecret(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The actor of a person in the audit log. */
export function actorOfPerson({ id }: Pick<Person, 'id'>): string {
  return `person:${id}`;
}

/** The reach of a person, by the account that they work for. */
export function reachOfPerson({ accountId }: Pick<Person, 'accountId'>): Reach {
  return accountId === undefined ? 'all_accounts' : 'account';
}

/** The scopes of their role, within their reach. */
export function scopesOf(person: Pick<Person, 'role' | 'accountId'>): readonly Scope[] {
  return scopesWithin(reachOfPerson(person), ROLE_SCOPES[person.role]);
}

export function isOver({ expiresAt, lastUsedAt }: Session, now: Date): boolean {
  return expiresAt <= now || now.getTime() - lastUsedAt.getTime() >= SESSION_IDLE_MS;
}

/** Whether a person has just shown a passkey. A link or a recovery code only lets them in, to add one. */
export function isFresh({ provenAt, provenBy }: Session, now: Date): boolean {
  return provenBy === 'passkey' && isRecent(provenAt, now);
}

/** Whether a passkey may be added: any proof will do, so that a person who lost theirs can get a new one. */
export function mayAddPasskey({ provenAt }: Session, now: Date): boolean {
  return isRecent(provenAt, now);
}

function isRecent(provenAt: Date, now: Date): boolean {
  return now.getTime() - provenAt.getTime() < FRESH_MS;
}
