// trilho receipt verify: needs no settings and no database, so that anyone who gets a receipt can verify it.

import { StartError } from '../lib/errors.ts';
import { readTextFile, tryReadFile } from '../lib/settings/read-file.ts';
import { verifyReceipt } from '../payouts/receipts/receipt.ts';
import { readArguments, refuseFaults } from './arguments.ts';

const KEY_ID = /^[A-Za-z0-9_-]{43}$/;

/** Exit code 1 when the receipt is not valid. */
export async function verifyReceiptCommand(args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, { positionals: ['file'], options: ['key'] });
  const { key } = options;
  if (key !== undefined && !KEY_ID.test(key)) faults.push('--key must be the id of a key, 43 characters of base64url');
  refuseFaults('receipt verify', faults);
  const read = tryReadFile(readTextFile, positionals[0] ?? '');
  if ('fault' in read) throw new StartError(`trilho receipt verify: ${read.fault}.`);
  const verified = verifyReceipt(read.text, key);
  if (verified.kind === 'refused') {
    console.log(`NO RECEIPT: the service answered: ${verified.message}`);
    return 1;
  }
  if (verified.kind === 'invalid') {
    console.log(`NOT VALID: ${verified.message}.`);
    return 1;
  }
  for (const line of linesOf(verified.receipt)) console.log(line);
  console.log(
    key === undefined
      ? `Valid: signed by the key ${verified.keyId}. Compare that with the keys at /receipts/keys of the service.`
      : `Valid: signed by the key ${verified.keyId}.`,
  );
  for (const line of warningsOf(verified.receipt)) console.log(line);
  return 0;
}

/** Why a signed receipt may still prove nothing. */
function warningsOf({ mode, isTest }: Readonly<Record<string, unknown>>): string[] {
  if (mode !== 'live') return ['It is from a sandbox: no real money moved.'];
  return isTest === true ? ['It is from a test network: its tokens are worth nothing.'] : [];
}

/** One line for each signed field, such as `block.number  78123456`. */
function linesOf(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? linesOf(value, `${prefix}${name}.`)
      : [`${prefix}${name}  ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
}
