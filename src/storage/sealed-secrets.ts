// The secrets in the database, of every room that has some: which keys seal them, and resealing all of them with the present key.
import { StartError } from '../lib/errors.ts';
import type { Database, Sql } from './database.ts';
import { missingKey, type SecretBox, sealedWith } from './secret-box.ts';

type StoredSecrets = { readonly id: string; readonly secrets: readonly Buffer[] };

/** The secrets of a room. */
export type SecretStore = {
  /** A label for people. */
  readonly label: string;
  /** The place to which the secrets of an id are bound. */
  placeOf(id: string): string;
  /** In the order of their ids, after a given id. */
  read(sql: Sql, after: string, limit: number): Promise<StoredSecrets[]>;
  /** False when the secrets were replaced meanwhile. */
  replace(tx: Sql, before: StoredSecrets, after: StoredSecrets): Promise<boolean>;
  /** The replacement of a secret that no key opens; undefined where the service makes one at its next start. */
  renew(): Buffer | undefined;
};

const BATCH_SIZE = 500;
const MAX_BATCHES = 100_000;
/** In place of a key id, for secrets that are not sealed. */
export const PLAIN = 'plain';

/** The warning to an operator. */
export const NO_MASTER_KEY =
  'there is no master key: a copy of the database can sign in your name until TRILHO_MASTER_KEY is set';
export const NOT_RESEALED =
  'there is a master key, but secrets are not sealed with it: run trilho secrets reseal once all nodes have it';

/** How many secrets each key seals; unsealed ones are under `PLAIN`. */
export async function countSeals(sql: Sql, stores: readonly SecretStore[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const store of stores) {
    await eachBatch(sql, store, async stored => {
      for (const secret of stored.flatMap(({ secrets }) => secrets)) {
        const key = sealedWith(secret) ?? PLAIN;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    });
  }
  return counts;
}

/** A node that cannot open a secret could not sign, so it does not start. */
export async function requireMasterKeys(sql: Sql, stores: readonly SecretStore[], box: SecretBox): Promise<void> {
  for (const keyId of (await countSeals(sql, stores)).keys()) {
    if (keyId !== PLAIN && !box.keyIds.includes(keyId)) throw new StartError(missingKey(keyId));
  }
}

/**
 * Whether to seal a new secret. A first key alone does not decide that: nodes without it could not open the secret. Read in the transaction
 * that writes the secret, so that a reseal that begins meanwhile waits for it.
 */
export async function sealsSecrets(tx: Sql): Promise<boolean> {
  const [row] = await tx.query<{ seals: boolean }>('select seals_secrets as seals from installation for share');
  return row?.seals ?? false;
}

/** Whether new secrets are sealed at present; undefined for a database that no service has started on. */
export async function findSealing(sql: Sql): Promise<boolean | undefined> {
  const [row] = await sql.query<{ seals: boolean }>('select seals_secrets as seals from installation');
  return row?.seals;
}

/** Turns on sealing of new secrets. */
export async function beginSealing(sql: Sql): Promise<void> {
  await sql.query('update installation set seals_secrets = true where not seals_secrets');
}

/** Seals unsealed secrets, if there is a key. */
export function sealPlain(db: Database, store: SecretStore, box: SecretBox): Promise<number> {
  const isPlain = (stored: Buffer) => box.keyId !== undefined && sealedWith(stored) === undefined;
  return replaceEach(db, store, isPlain, (stored, place) => box.seal(stored, place));
}

/** Seals every secret with the present key; safe beside a running service. Returns how many were not sealed with it before. */
export function resealAll(db: Database, store: SecretStore, box: SecretBox): Promise<number> {
  const isStale = (stored: Buffer) => sealedWith(stored) !== box.keyId;
  return replaceEach(db, store, isStale, (stored, place) => box.seal(box.open(stored, place), place));
}

/**
 * For a lost master key: replaces secrets that no given key opens by new random ones. Returns how many changed; receivers of webhooks need a
 * rotation.
 */
export function renewLost(db: Database, store: SecretStore, box: SecretBox): Promise<number> {
  const isLost = (stored: Buffer) => {
    const keyId = sealedWith(stored);
    return keyId !== undefined && !box.keyIds.includes(keyId);
  };
  return replaceEach(db, store, isLost, (_, place) => {
    const renewed = store.renew();
    return renewed && box.seal(renewed, place);
  });
}

async function replaceEach(
  db: Database,
  store: SecretStore,
  isStale: (stored: Buffer) => boolean,
  anew: (stored: Buffer, place: string) => Buffer | undefined,
): Promise<number> {
  let changed = 0;
  await eachBatch(db, store, async stored => {
    // Sealed before the transaction, so that a second run finds the first.
    const pairs = stored
      .filter(({ secrets }) => secrets.some(isStale))
      .map(before => {
        const place = store.placeOf(before.id);
        const secrets = before.secrets.flatMap(each => (isStale(each) ? (anew(each, place) ?? []) : each));
        return { before, after: { ...before, secrets } };
      });
    const written = await db.transaction(async tx => {
      const each: number[] = [];
      for (const { before, after } of pairs) {
        const isWritten = await store.replace(tx, before, after);
        each.push(isWritten ? before.secrets.filter(isStale).length : 0);
      }
      return each;
    });
    changed += written.reduce((sum, each) => sum + each, 0);
  });
  return changed;
}

async function eachBatch(
  sql: Sql,
  store: SecretStore,
  work: (stored: readonly StoredSecrets[]) => Promise<void>,
): Promise<void> {
  let last = '';
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const stored = await store.read(sql, last, BATCH_SIZE);
    if (stored.length === 0) return;
    await work(stored);
    last = stored.at(-1)?.id ?? last;
  }
}
