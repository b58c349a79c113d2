// trilho rails: lists the rails of a live service with their health, or registers the webhook of a rail at its PSP.
import { readAgreementUses } from '../charges/bank-files/store-agreements.ts';
import { type RailRecord, readRails } from '../charges/store/rails.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { webhookAddress } from '../rails/bank-client/webhook.ts';
import { type CalledEntry, calledEntries } from '../rails/entries.ts';
import { type Bank, liveRails } from '../rails/live-rails.ts';
import { allRails, type Rails } from '../rails/rails.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { type CommandDeps, withDatabase } from './database.ts';
import { causeOfOutage, explainingOutage } from './explain-outage.ts';
import { type Explain, showRails } from './show-rails.ts';

export async function railsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  if (args.length > 0) readVerb('rails', args, ['register-webhook']);
  const { positionals, faults } = readArguments(args.slice(1), { positionals: args.length > 0 ? ['rail'] : [] });
  refuseFaults(args.length > 0 ? 'rails register-webhook' : 'rails', faults);
  if (config.mode !== 'live') {
    throw new StartError('A sandbox has a simulated bank and no rails to list. Set TRILHO_MODE=live.');
  }
  const [name] = positionals;
  await withDatabase({ config, log, action: 'trilho rails' }, async deps => {
    const { rails, banks, stop } = liveRails(config, { clock: deps.clock, log });
    try {
      if (name === undefined) await list(config, { ...deps, log }, rails, banks);
      else await explainingOutage(config, { ...deps, log }, name, () => register(config, deps, banks, name));
    } finally {
      stop();
    }
  });
  return 0;
}

type ListDeps = CommandDeps & { readonly log: Log };

async function list(config: Config, { db, clock, log }: ListDeps, rails: Rails, banks: readonly Bank[]): Promise<void> {
  const explain: Explain = (name, error) => causeOfOutage(config, { clock, log }, name, error);
  const ranges = new Map(allRails(rails).flatMap(({ name, numbers }) => (numbers ? [[name, numbers]] : [])));
  const uses = await readAgreementUses(db);
  const agreements = uses.flatMap(use => {
    const range = ranges.get(use.rail);
    return range ? { ...use, lastNumber: range.last } : [];
  });
  const known = { records: await readRails(db), agreements };
  for (const line of await showRails(config, known, banks, clock.now(), explain)) console.log(line);
}

async function register(config: Config, { db }: CommandDeps, banks: readonly Bank[], name: string): Promise<void> {
  const {
    called,
    bank: { webhook },
    bankPlace,
  } = requireEntry(config, name);
  if (!webhook) throw new StartError(`${bankPlace}.webhook is missing: its url is the public address of the receiver.`);
  if (!config.receiver) {
    throw new StartError(
      'receiver is missing in TRILHO_CONFIG: without it nothing receives the notifications of the PSP.',
    );
  }
  const address = webhookAddress(webhook.url, requireRecord(await readRails(db), name).pathToken);
  const admin = banks.find(candidate => candidate.name === name)?.webhook;
  if (!admin) throw new StartError(`The bank of ${name} sends no notifications: the service asks it for payments.`);
  try {
    await admin.registerWebhook(address, { skipMtls: webhook.skipMtls ?? false });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'wrong_state') throw error;
    const fields = called.webhookFields.map(field => `${bankPlace}.${field}`);
    const named = `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;
    throw new StartError(`${error.message} Check ${named}, and that the service runs.`);
  }
  const shown = await admin.readWebhook();
  if (shown?.url !== address) {
    const found = shown ? shownAddress(shown.url) : 'no webhook';
    throw new StartError(`The PSP accepted ${shownAddress(address)} as the webhook of ${name}, but shows ${found}.`);
  }
  console.log(`The PSP notifies of payments to ${name} at ${shownAddress(shown.url)}`);
}

function requireEntry(config: Config, name: string): CalledEntry {
  const entries = calledEntries(config);
  const found = entries.find(({ entry }) => entry.name === name);
  if (found) return found;
  const known = entries.length === 0 ? 'no rail' : entries.map(({ entry }) => entry.name).join(', ');
  throw new StartError(`rails in TRILHO_CONFIG has no ${quoted(name)}; there is ${known}.`);
}

/** A rail gets its path at the first start with it. */
function requireRecord(records: readonly RailRecord[], name: string): RailRecord {
  const record = records.find(candidate => candidate.name === name);
  if (!record) throw new StartError(`The service has not started with the rail ${name} yet: start it once first.`);
  return record;
}

const SHOWN_OF_TOKEN = 4;

/** The path is a credential, so most of it is hidden. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'another address';
  const { origin, pathname } = new URL(url);
  const place = pathname.lastIndexOf('/') + 1;
  return `${origin}${pathname.slice(0, place + SHOWN_OF_TOKEN)}…`;
}
