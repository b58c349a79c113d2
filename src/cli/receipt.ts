// trilho receipt: prints the signed receipt of a payout, and verifies one without the service.
import type { Config } from '../config/config.ts';
import { readTextFile, tryReadFile } from '../config/read-file.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { verifyReceipt } from '../payouts/receipt.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';

/** Exit code 1 when a receipt is not valid. */
export async function receiptCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('receipt', args, ['get', 'verify']);
  return verb === 'get' ? get(config, log, args.slice(1)) : verifyFile(args.slice(1));
}

async function get(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { words, faults } = readArguments(args, { words: ['payout or transaction id'] });
  const [id = ''] = words;
  if (words.length > 0 && !isUuid(id)) faults.push(`<payout or transaction id> must be a UUID, not ${quoted(id)}`);
  refuseFaults('receipt get', faults);
  // Verifying needs no database.
  const { makeReceipt } = await import('./make-receipt.ts');
  try {
    console.log(JSON.stringify(await makeReceipt(config, log, id), undefined, 2));
    return 0;
  } catch (error) {
    throw error instanceof AppError ? new StartError(error.message) : error;
  }
}

const KEY_ID = /^[A-Za-z0-9_-]{43}$/;

async function verifyFile(args: readonly string[]): Promise<number> {
  const { words, options, faults } = readArguments(args, { words: ['file'], options: ['key'] });
  const { key } = options;
  if (key !== undefined && !KEY_ID.test(key)) faults.push('--key must be the id of a key, 43 characters of base64url');
  refuseFaults('receipt verify', faults);
  const read = tryReadFile(readTextFile, words[0] ?? '');
  if ('fault' in read) throw new StartError(`trilho receipt verify: ${read.fault}.`);
  const verified = verifyReceipt(read.text, key);
  if (verified.kind === 'invalid') {
    console.log(`NOT VALID: ${verified.words}.`);
    return 1;
  }
  for (const line of linesOf(verified.receipt)) console.log(line);
  console.log(
    key === undefined
      ? `Valid: it is as the key ${verified.keyId} has signed it. Compare that with the keys at /receipts/keys of the service.`
      : `Valid: it is as the key ${verified.keyId} has signed it.`,
  );
  if (verified.receipt['mode'] !== 'live') console.log('It is of a sandbox: nothing moved.');
  return 0;
}

/** `block.number  78123456`, a line for each field, as they were signed. */
function linesOf(fields: object, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? linesOf(value, `${prefix}${name}.`)
      : [`${prefix}${name}  ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  );
}
