// The bytes of a CNAB file that a command names.
import { readFileSync, statSync } from 'node:fs';
import { CnabError, MAX_FILE_BYTES } from '@trilho/cnab';
import { StartError } from '../lib/errors.ts';

export function readBytes(file: string): Buffer {
  try {
    if (statSync(file).size > MAX_FILE_BYTES) throw new CnabError('The file is larger than any bank file.');
    return readFileSync(file);
  } catch (error) {
    if (error instanceof CnabError) throw error;
    throw new StartError('The file cannot be read. Is its name right?');
  }
}
