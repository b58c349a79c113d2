// trilho audit verify: follows the audit log from its first line and says whether it is whole.
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { type Head, verifyAudit } from '../storage/audit-chain.ts';
import { tryArchive } from './archive.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const BROKEN = 1;

export async function auditCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  readVerb('audit', args, ['verify']);
  const { noted, archive } = readChoices(args.slice(1));
  const { head, broken, unsealed, cut } = await withDatabase({ config, log, action: 'trilho audit verify' }, ({ db }) =>
    verifyAudit(db, noted),
  );
  if (broken) {
    console.log(`Broken: line ${broken.position}: ${broken.reason}. Whole up to ${head.position} ${head.hash}`);
    return BROKEN;
  }
  if (cut && archive !== undefined && !(await isArchiveWhole(archive, cut, noted))) return BROKEN;
  if (cut && archive === undefined) {
    console.log(`Lines up to ${cut.position} were moved to the archive; --archive <folder> follows them there.`);
    if (noted && noted.position < cut.position) {
      console.log(`Not verified: line ${noted.position} is one of them.`);
      return BROKEN;
    }
  }
  console.log(`Whole: ${head.position} ${head.hash}`);
  console.log(
    `${unsealed} not sealed yet. Note position and hash elsewhere: lines cut off the end are missed only there.`,
  );
  return 0;
}

/** Whether the archive is whole from the first line of all to the one that the database goes on from. */
async function isArchiveWhole(folder: string, cut: Head, noted: Head | undefined): Promise<boolean> {
  const checked = await tryArchive(folder, noted ? [cut, noted] : [cut]);
  if (!checked) return false;
  const audit = checked.find(({ kind }) => kind === 'audit');
  if (audit?.first === 1 && audit.position >= cut.position) return true;
  console.log(`Broken: ${folder} lacks lines of the audit log: it must have 1 to ${cut.position}.`);
  return false;
}

/** Position and hash as an earlier run printed them, or neither. */
function readChoices(args: readonly string[]): { readonly noted?: Head; readonly archive?: string } {
  const { words, options, faults } = readArguments(args, { moreWords: ['position', 'hash'], options: ['archive'] });
  const [position, hash] = words;
  if (position !== undefined && !/^[1-9]\d{0,14}$/.test(position)) {
    faults.push(`<position> must be a whole number above 0, not ${quoted(position)}`);
  }
  if (position !== undefined && hash === undefined) faults.push('<hash> is missing');
  if (hash !== undefined && !/^[0-9a-f]{64}$/.test(hash)) {
    faults.push(`<hash> must be 64 hexadecimal digits, not ${quoted(hash)}`);
  }
  refuseFaults('audit verify', faults);
  const { archive } = options;
  return {
    ...(position !== undefined && hash !== undefined && { noted: { position: Number(position), hash } }),
    ...(archive !== undefined && { archive }),
  };
}
