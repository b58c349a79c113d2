// trilho audit verify: verifies the hash chain of the audit log from its first line.
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import type { ArchiveKind } from '../storage/archive/block.ts';
import { type Cut, readCut } from '../storage/archive/cuts.ts';
import { type Head, verifyAudit } from '../storage/audit-chain.ts';
import { tryArchive } from './archive.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const BROKEN = 1;

export async function auditCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  readVerb('audit', args, ['verify']);
  const { noted, archive } = readChoices(args.slice(1));
  const { head, broken, unsealed, cut, events } = await withDatabase(
    { config, log, action: 'trilho audit verify' },
    async ({ db }) => ({ ...(await verifyAudit(db, noted)), events: await readCut(db, 'events') }),
  );
  if (broken) {
    console.log(`Broken: line ${broken.position}: ${broken.reason}. Whole up to ${head.position} ${head.hash}`);
    return BROKEN;
  }
  if (
    archive !== undefined &&
    (cut || events.position > 0) &&
    !(await isArchiveWhole(archive, { cut, events, noted }))
  ) {
    return BROKEN;
  }
  if (cut && archive === undefined) {
    console.log(`Lines up to ${cut.position} were moved to the archive; --archive <folder> verifies them there.`);
    if (noted && noted.position < cut.position) {
      console.log(`Not verified: line ${noted.position} is one of them.`);
      return BROKEN;
    }
  }
  console.log(`Whole: ${head.position} ${head.hash}`);
  console.log(
    `${unsealed} not sealed yet. Keep position and hash elsewhere: only they show later that lines were cut off the end.`,
  );
  return 0;
}

type Expected = { readonly cut: Head | undefined; readonly events: Cut; readonly noted: Head | undefined };

/** Whether the archive has every audit line and event from the first to where the database continues. */
async function isArchiveWhole(folder: string, { cut, events, noted }: Expected): Promise<boolean> {
  const checked = await tryArchive(
    folder,
    [cut, noted].filter(head => head !== undefined),
  );
  if (!checked) return false;
  const lacks = (kind: ArchiveKind, last: number) => {
    const found = checked.find(one => one.kind === kind);
    return last > 0 && !(found?.first === 1 && found.position >= last);
  };
  const missing = [
    ...(cut && lacks('audit', cut.position) ? [`lines of the audit log: it must have 1 to ${cut.position}`] : []),
    ...(lacks('events', events.position) ? [`events: it must have 1 to ${events.position}`] : []),
  ];
  for (const message of missing) console.log(`Broken: ${folder} lacks ${message}.`);
  const last = checked.find(({ kind }) => kind === 'events');
  if (last?.position !== events.position || last.hash === events.hash) return missing.length === 0;
  console.log(`Broken: the last events of ${folder} are not those that were moved there.`);
  return false;
}

/** Position and hash as an earlier run printed them, or neither. */
function readChoices(args: readonly string[]): { readonly noted?: Head; readonly archive?: string } {
  const { positionals, options, faults } = readArguments(args, {
    optionalPositionals: ['position', 'hash'],
    options: ['archive'],
  });
  const [position, hash] = positionals;
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
