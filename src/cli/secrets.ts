// trilho secrets: prints which keys seal the secrets in the database and in files, and reseals them with the present key.

import type { Config } from '../config/config.ts';
import type { Settings } from '../config/read.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { SECRET_STORES } from '../nouns.ts';
import type { Database } from '../storage/database.ts';
import {
  beginSealing,
  countSeals,
  PLAIN,
  renewLost,
  requireMasterKeys,
  resealAll,
  type SecretStore,
  sealsSecrets,
} from '../storage/sealed-secrets.ts';
import { type SecretBox, secretBox } from '../storage/secret-box.ts';
import { readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';
import { sealFile, unsealFile } from './seal-file.ts';
import { roleOf, sayFiles } from './secret-files.ts';
import { secretKeyCommand } from './secret-key.ts';

const VERBS = { status, reseal, renew };
const FILE_VERBS = { seal: sealFile, unseal: unsealFile };

export async function secretsCommand(
  config: Config,
  log: Log,
  args: readonly string[],
  settings: Settings,
): Promise<number> {
  const verb = readVerb('secrets', args, ['key', 'status', 'reseal', 'renew', 'seal', 'unseal']);
  if (verb === 'seal' || verb === 'unseal') {
    const { positionals, faults } = readArguments(args.slice(1), { positionals: ['file'] });
    refuseFaults(`secrets ${verb}`, faults);
    return FILE_VERBS[verb](config, positionals[0] ?? '');
  }
  if (verb === 'key') return secretKeyCommand(args.slice(1));
  refuseFaults(`secrets ${verb}`, readArguments(args.slice(1), {}).faults);
  return VERBS[verb](config, log, settings);
}

async function status(config: Config, log: Log, settings: Settings): Promise<number> {
  const box = secretBox(config.masterKeys);
  const task = { config, log, action: 'trilho secrets status' };
  const { counts, isSealing } = await withDatabase(task, async ({ db }) => ({
    counts: await countSeals(db, SECRET_STORES),
    isSealing: await sealsSecrets(db),
  }));
  for (const keyId of new Set([...box.keyIds, ...counts.keys()])) {
    const message = keyId === PLAIN ? 'not sealed' : `key ${keyId} (${roleOf(box, keyId)})`;
    console.log(`${message}: ${counts.get(keyId) ?? 0} secrets`);
  }
  if (box.keyId !== undefined && !isSealing) {
    console.log('new secrets are sealed only after trilho secrets reseal; run it once every node has the key');
  }
  const lacking = [...counts.keys()].some(keyId => !box.keyIds.includes(keyId));
  const areOpen = sayFiles(settings, box);
  return lacking || !areOpen ? 1 : 0;
}

async function reseal(config: Config, log: Log): Promise<number> {
  const box = boxOf(config, 'reseal');
  await withDatabase({ config, log, action: 'trilho secrets reseal' }, async ({ db }) => {
    await requireMasterKeys(db, SECRET_STORES, box);
    await beginSealing(db);
    await eachStore(db, box, resealAll, `sealed with the key ${box.keyId}`);
  });
  return 0;
}

async function renew(config: Config, log: Log): Promise<number> {
  const box = boxOf(config, 'renew');
  await withDatabase({ config, log, action: 'trilho secrets renew' }, ({ db }) =>
    eachStore(db, box, renewLost, 'given up'),
  );
  console.log(
    'Webhooks have new random secrets, which are not shown: rotate the secret of each webhook to give it to its receiver.',
  );
  console.log('If the key of checkout links was replaced, existing links are refused once the nodes are restarted.');
  console.log('The key of receipts is made at the next start; signed receipts stay valid.');
  return 0;
}

async function eachStore(
  db: Database,
  box: SecretBox,
  change: (db: Database, store: SecretStore, box: SecretBox) => Promise<number>,
  done: string,
): Promise<void> {
  for (const store of SECRET_STORES) console.log(`${store.label}: ${await change(db, store, box)} secrets ${done}`);
}

function boxOf({ masterKeys }: Config, verb: string): SecretBox {
  const box = secretBox(masterKeys);
  if (box.keyId !== undefined) return box;
  throw new StartError(`trilho secrets ${verb} needs TRILHO_MASTER_KEY; see trilho secrets key.`);
}
