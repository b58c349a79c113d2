// How the files that settings name are sealed, for trilho secrets status.
import { readFileSync, statSync } from 'node:fs';
import { type NamedFile, namedFiles } from '../config/named-files.ts';
import type { Settings } from '../config/read.ts';
import { sealedFileKey } from '../lib/settings/sealed-file.ts';
import type { SecretBox } from '../storage/secret-box.ts';

/** Says it of each file. False when one of them cannot be read, or is sealed with a key that is not given. */
export function sayFiles(settings: Settings, box: SecretBox): boolean {
  return namedFiles(settings)
    .map(file => {
      const { message, isOpen } = look(file, box);
      if (message !== undefined) console.log(`${file.setting}: ${message}`);
      return isOpen;
    })
    .every(isOpen => isOpen);
}

/** What a key does here, for a person. */
export function roleOf({ keyId, keyIds }: SecretBox, id: string): string {
  if (id === keyId) return 'seals';
  return keyIds.includes(id) ? 'opens' : 'is not given';
}

type Look = { readonly message?: string; readonly isOpen: boolean };

function look({ path, isSecret }: NamedFile, box: SecretBox): Look {
  try {
    // A pipe was read when the settings were, and cannot be read again.
    if (!statSync(path).isFile()) return { message: 'not a plain file, not looked at', isOpen: true };
    const keyId = sealedFileKey(readFileSync(path));
    if (keyId === undefined) return isSecret ? { message: 'not sealed', isOpen: true } : { isOpen: true };
    return { message: `sealed with the key ${keyId} (${roleOf(box, keyId)})`, isOpen: box.keyIds.includes(keyId) };
  } catch (error) {
    return { message: `cannot be read (${(error as { code?: string }).code ?? 'unknown error'})`, isOpen: false };
  }
}
