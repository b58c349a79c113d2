// Logging in without a passkey: by a link or a recovery code, each of which works once.
import { randomBytes } from 'node:crypto';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../storage/database.ts';
import { hashOfSecret, isSecret, type Person, type Session } from './person.ts';
import { startSession } from './sessions.ts';
import { findLink, putRecoveryCodes, takeLink, takeRecoveryCode } from './store-people.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

const CODES = 10;
const CODE_BYTES = 16;
/** 128 bits as 26 digits and letters without look-alikes (Crockford's base 32), in groups for typing. */
const CODE_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CODE_LENGTH = 26;
const GROUP = /.{1,5}/g;

/** The person of a link, without using it up: a preview changes nothing. */
export async function whoseLink({ db, clock }: Deps, token: string): Promise<Person | undefined> {
  return isSecret(token) ? findLink(db, hashOfSecret(token), clock.now()) : undefined;
}

/** Starts a session by a link, which is used up; undefined when it is no longer valid. */
export async function enterByLink(deps: Deps, token: string) {
  if (!isSecret(token)) return undefined;
  return startSession(deps, 'link', tx => takeLink(tx, hashOfSecret(token), deps.clock.now()));
}

/** Starts a session by a recovery code, which is used up; undefined when it is no longer valid. */
export async function enterByRecoveryCode(deps: Deps, given: string) {
  const code = readCode(given);
  if (code.length !== CODE_LENGTH) return undefined;
  return startSession(deps, 'recovery_code', tx => takeRecoveryCode(tx, hashOfSecret(code), deps.clock.now()));
}

/** Ten new codes, which are shown once and replace all earlier ones. */
export async function makeRecoveryCodes({ db }: Deps, { person }: Session): Promise<readonly string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await db.transaction(async tx => {
    setAuditObject(person.id);
    await putRecoveryCodes(
      tx,
      person.id,
      codes.map(code => hashOfSecret(readCode(code))),
    );
  });
  return codes;
}

function newCode(): string {
  let rest = BigInt(`0x${randomBytes(CODE_BYTES).toString('hex')}`);
  let digits = '';
  for (; digits.length < CODE_LENGTH; rest >>= 5n) digits = CODE_ALPHABET[Number(rest & 31n)] + digits;
  return (digits.match(GROUP) ?? []).join('-');
}

/** Normalises a code: capitals, spaces, and an o for a zero do not matter. */
function readCode(given: string): string {
  return given
    .toLowerCase()
    .replace(/[\s-]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
    .slice(0, CODE_LENGTH + 1);
}
