// The state of the secret files in the settings, for trilho secrets status.
import { readFileSync, statSync } from 'node:fs';
import { type NamedFile, namedFiles } from '../config/named-files.ts';
import type { Settings } from '../config/read.ts';
import { sealedFileKey } from '../lib/settings/sealed-file.ts';
import type { SecretBox } from '../storage/secret-box.ts';

/** Prints how each file is sealed. False when one cannot be read, or is sealed with a key that is not given. */
export function sayFiles(settings: Settings, box: SecretBox): boolean {
  return namedFiles(settings)
    .map(file => {
      const { message, isOpen } = look(file, box);
      if (message !== undefined) console.log(`${file.setting}: ${message}`);
      return isOpen;
    })
    .every(isOpen => isOpen);
}

/** The role of a key here, for a person. */
export function roleOf({ keyId, keyIds }: SecretBox, id: string): string {
  if (id === keyId) return 'seals';
  return keyIds.includes(id) ? 'opens' : 'is not given';
}

type Look = { readonly message?: string; readonly isOpen: boolean };

function look({ path, isSecret }: NamedFile, box: SecretBox): Look {
  try {
    // A pipe was read with the settings, and cannot be read again.
    if (!statSync(path).isFile()) return { message: 'not a plain file, not checked', isOpen: true };
    const keyId = sealedFileKey(readFileSync(path));
    if (keyId === undefined) return isSecret ? { message: 'not sealed', isOpen: true } : { isOpen: true };
    return { message: `sealed with the key ${keyId} (${roleOf(box, keyId)})`, isOpen: box.keyIds.includes(keyId) };
  } catch (error) {
    return { message: `cannot be read (${(error as { code?: string }).code ?? 'unknown error'})`, isOpen: false };
  }
}
