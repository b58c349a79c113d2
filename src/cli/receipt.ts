// trilho receipt: prints the signed receipt of a payout, and verifies one without the service.
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { verifyReceiptCommand } from './verify-receipt.ts';

/** Exit code 1 when a receipt is not valid. */
export async function receiptCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('receipt', args, ['get', 'verify']);
  return verb === 'get' ? get(config, log, args.slice(1)) : verifyReceiptCommand(args.slice(1));
}

async function get(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['payout or transaction id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isUuid(id))
    faults.push(`<payout or transaction id> must be a UUID, not ${quoted(id)}`);
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
