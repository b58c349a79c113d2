// trilho audit verify: follows the audit log from its first line and says whether it is whole.
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { type Head, verifyAudit } from '../storage/audit-chain.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const BROKEN = 1;

export async function auditCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  readVerb('audit', args, ['verify']);
  const noted = readHead(args.slice(1));
  const { head, broken, unsealed } = await withDatabase({ config, log, action: 'trilho audit verify' }, ({ db }) =>
    verifyAudit(db, noted),
  );
  if (broken) {
    console.log(`Broken: line ${broken.position}: ${broken.reason}. Whole up to ${head.position} ${head.hash}`);
    return BROKEN;
  }
  console.log(`Whole: ${head.position} ${head.hash}`);
  console.log(
    `${unsealed} not sealed yet. Note position and hash elsewhere: lines cut off the end are missed only there.`,
  );
  return 0;
}

/** Position and hash as an earlier run printed them, or neither. */
function readHead(args: readonly string[]): Head | undefined {
  const { words, faults } = readArguments(args, { moreWords: ['position', 'hash'] });
  const [position, hash] = words;
  if (position !== undefined && !/^[1-9]\d{0,14}$/.test(position)) {
    faults.push(`<position> must be a whole number above 0, not ${quoted(position)}`);
  }
  if (position !== undefined && hash === undefined) faults.push('<hash> is missing');
  if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) {
    faults.push(`<hash> must be 64 hexadecimal digits, not ${quoted(hash)}`);
  }
  refuseFaults('audit verify', faults);
  return position === undefined || hash === undefined ? undefined : { position: Number(position), hash };
}
