// trilho audit verify: follows the audit log from its first line and says whether it is whole.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Head, verifyAudit } from '../storage/audit-chain.ts';
import { withDatabase } from './database.ts';

const USAGE = 'Usage: trilho audit verify [<position> <hash>, as noted earlier]';
const BROKEN = 1;

export async function auditCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const [verb, ...words] = args;
  const noted = words.length === 0 ? undefined : readHead(words);
  if (verb !== 'verify') throw new StartError(USAGE);
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

function readHead(words: readonly string[]): Head {
  const [position = '', hash = ''] = words;
  if (words.length !== 2 || !/^[1-9]\d{0,14}$/.test(position) || !/^[0-9a-f]{64}$/.test(hash)) {
    throw new StartError(USAGE);
  }
  return { position: Number(position), hash };
}
