// Encrypts the secrets in the database with AES-256-GCM and a master key that is not in the database. A sealed secret is bound to its
// place: copied into another row it does not open.
import { StartError } from '../lib/errors.ts';
import { KEY_ID_BYTES, keyIdOf, NONCE_BYTES, seal, TAG_BYTES, unseal } from '../lib/sealing.ts';

export type SecretBox = {
  /** Seals with the first master key; without a master key the secret stays as it is. */
  seal(secret: Buffer, place: string): Buffer;
  /** Also returns unsealed secrets. Throws when the master key is missing or the bytes were changed. */
  open(stored: Buffer, place: string): Buffer;
  /** The id of the key that seals; undefined without a master key. */
  readonly keyId: string | undefined;
  /** The ids of all keys. */
  readonly keyIds: readonly string[];
};

const VERSION = 1;
const HEAD_BYTES = 1 + KEY_ID_BYTES;
/** Secrets have 32 bytes and Ed25519 keys 48, so anything of this length is sealed. */
const MIN_SEALED_BYTES = HEAD_BYTES + NONCE_BYTES + 32 + TAG_BYTES;

export function secretBox(keys: readonly Buffer[]): SecretBox {
  const byId = new Map(keys.map(key => [keyIdOf(key), key]));
  const [first] = keys;

  return {
    keyId: first && keyIdOf(first),
    keyIds: [...byId.keys()],

    seal: (secret, place) => {
      if (!first) return secret;
      const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(keyIdOf(first), 'hex')]);
      return Buffer.concat([head, seal(first, secret, boundTo(head, place))]);
    },

    open: (stored, place) => {
      const keyId = sealedWith(stored);
      if (keyId === undefined) return stored;
      const key = byId.get(keyId);
      if (!key) throw new StartError(missingKey(keyId));
      return unseal(key, stored.subarray(HEAD_BYTES), boundTo(stored.subarray(0, HEAD_BYTES), place));
    },
  };
}

/** The id of the key that a secret is sealed with; undefined when it is not sealed. */
export function sealedWith(stored: Buffer): string | undefined {
  return stored.length < MIN_SEALED_BYTES ? undefined : stored.toString('hex', 1, HEAD_BYTES);
}

export function missingKey(keyId: string): string {
  return `TRILHO_MASTER_KEY lacks the key ${keyId}, with which secrets in the database are sealed.`;
}

function boundTo(head: Buffer, place: string): Buffer {
  return Buffer.concat([head, Buffer.from(place)]);
}
