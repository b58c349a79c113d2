// Files with a password or a key, sealed with a master key: one line with the id of the key, so that a copy of the file alone reveals
// nothing. An unsealed file is read as it is.
import { readFileSync } from 'node:fs';
import { keyIdOf, NONCE_BYTES, seal, TAG_BYTES, unseal } from '../sealing.ts';

const MARK = 'trilho-sealed-1';
const LINE = new RegExp(`^${MARK} ([0-9a-f]{8}) ([A-Za-z0-9+/]+={0,2})\\r?\\n?$`);
/** Sealed bytes of the database, which are bound to a row, cannot be opened as a file, nor the other way round. */
const BOUND_TO = Buffer.from(MARK);

/**
 * The master keys of this process. Files are read deep inside rails and signers, and again when they change, so the keys belong to the
 * process like its environment; keys are only added.
 */
const masterKeys = new Map<string, Buffer>();

export function giveMasterKeys(keys: readonly Buffer[]): void {
  for (const key of keys) masterKeys.set(keyIdOf(key), key);
}

/** The content of a sealed file. */
export function sealedText(key: Buffer, content: Buffer): string {
  return `${MARK} ${keyIdOf(key)} ${seal(key, content, BOUND_TO).toString('base64')}\n`;
}

/** The id of the key that a file is sealed with; undefined when it is not sealed. */
export function sealedFileKey(content: Buffer): string | undefined {
  return content.subarray(0, MARK.length).toString('latin1') === MARK
    ? (LINE.exec(content.toString('latin1'))?.[1] ?? 'unknown')
    : undefined;
}

/** The plain content of a file. Throws an error whose `code` is a text that says why a sealed file does not open. */
export function openSealed(content: Buffer): Buffer {
  const keyId = sealedFileKey(content);
  if (keyId === undefined) return content;
  const sealed = Buffer.from(LINE.exec(content.toString('latin1'))?.[2] ?? '', 'base64');
  const key = masterKeys.get(keyId);
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw notOpened('sealed, and damaged');
  if (!key) throw notOpened(`sealed with the key ${keyId}, which TRILHO_MASTER_KEY lacks`);
  try {
    return unseal(key, sealed, BOUND_TO);
  } catch {
    throw notOpened('sealed, and damaged');
  }
}

/** Reads a file that may be sealed. */
export function readSecretFile(path: string): Buffer {
  return openSealed(readFileSync(path));
}

function notOpened(code: string): Error {
  return Object.assign(new Error(`The file is ${code}.`), { code });
}
