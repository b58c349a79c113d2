// Opens the key that signs receipts: from a file, or one that the service makes at its first start and keeps in the database.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { StartError } from '../../lib/errors.ts';
import { readSecretText, tryReadFile } from '../../lib/settings/read-file.ts';
import type { Database } from '../../storage/database.ts';
import type { SecretBox } from '../../storage/secret-box.ts';
import { addReceiptKey, findOwnReceiptKey } from '../store/receipt-keys.ts';
import { type ReceiptKey, receiptKeyOf } from './receipt-key.ts';

const SETTING = 'payouts.receipts.keyFile';

type Deps = { readonly db: Database; readonly clock: Clock; readonly secretBox: SecretBox };

/** Throws a StartError that names the setting when its file holds no such key. */
export async function openReceiptKey({ db, clock, secretBox }: Deps, keyFile?: string): Promise<ReceiptKey> {
  if (keyFile !== undefined) {
    const key = receiptKeyOf(readKeyFile(keyFile));
    await db.transaction(tx => addReceiptKey(tx, key, { at: clock.now() }));
    return key;
  }
  const known = await findOwnReceiptKey(db, secretBox);
  if (known) return ownKey(known);
  const made = receiptKeyOf(generateKeyPairSync('ed25519').privateKey);
  return db.transaction(async tx => {
    await addReceiptKey(tx, made, { at: clock.now(), sealedBy: secretBox });
    // Another node may have been first.
    const kept = await findOwnReceiptKey(tx, secretBox);
    return kept ? ownKey(kept) : made;
  });
}

function ownKey(key: Buffer): ReceiptKey {
  return receiptKeyOf(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}

function readKeyFile(path: string): KeyObject {
  const read = tryReadFile(readSecretText, path);
  if ('fault' in read) throw new StartError(`${SETTING}: ${read.fault}.`);
  const key = privateKeyIn(read.text);
  if (key?.asymmetricKeyType !== 'ed25519') {
    throw new StartError(`${SETTING}: the file must hold a private key of Ed25519 in PEM, without a password.`);
  }
  return key;
}

function privateKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
