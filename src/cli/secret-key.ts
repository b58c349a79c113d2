// trilho secrets key: makes a master key. It reads no settings: they may name the file that the output is redirected into, which the
// shell has just emptied.
import { randomBytes } from 'node:crypto';
import { MASTER_KEY_BYTES } from '../storage/master-key.ts';
import { readArguments, refuseFaults } from './arguments.ts';

/** Only the key goes to standard output, so that it can go into a file unread. */
export async function secretKeyCommand(args: readonly string[]): Promise<number> {
  refuseFaults('secrets key', readArguments(args, {}).faults);
  console.log(randomBytes(MASTER_KEY_BYTES).toString('base64'));
  return 0;
}
