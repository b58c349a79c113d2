// trilho rails: lists the rails of a live service with their health, and registers the webhook of one at its PSP.
import { readAgreementUses } from '../charges/store-agreements.ts';
import { type RailRecord, readRails } from '../charges/store-rails.ts';
import type { Config } from '../config/config.ts';
import type { RailSettings } from '../config/rail-settings.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { BacenRail } from '../rails/bacen/rail.ts';
import { webhookAddress } from '../rails/bacen/webhook.ts';
import { liveRails } from '../rails/live-rails.ts';
import { allRails, type Rails } from '../rails/rail.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { type CommandDeps, withDatabase } from './database.ts';
import { causeOfOutage, explainingOutage } from './explain-outage.ts';
import { type Explain, showRails } from './show-rails.ts';

export async function railsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  if (args.length > 0) readVerb('rails', args, ['register-webhook']);
  const { words, faults } = readArguments(args.slice(1), { words: args.length > 0 ? ['rail'] : [] });
  refuseFaults(args.length > 0 ? 'rails register-webhook' : 'rails', faults);
  if (config.mode !== 'live') {
    throw new StartError('A sandbox has a simulated bank and no rails to look after. Set TRILHO_MODE=live.');
  }
  const [name] = words;
  await withDatabase({ config, log, action: 'trilho rails' }, async deps => {
    const { rails, psps } = liveRails(config, { clock: deps.clock, log });
    try {
      if (name === undefined) await list(config, { ...deps, log }, rails, psps);
      else await explainingOutage(config, { ...deps, log }, name, () => register(config, deps, psps, name));
    } finally {
      for (const psp of psps) psp.stop();
    }
  });
  return 0;
}

type ListDeps = CommandDeps & { readonly log: Log };

async function list(
  config: Config,
  { db, clock, log }: ListDeps,
  rails: Rails,
  psps: readonly BacenRail[],
): Promise<void> {
  const explain: Explain = (name, error) => causeOfOutage(config, { clock, log }, name, error);
  const ranges = new Map(allRails(rails).flatMap(({ name, numbers }) => (numbers ? [[name, numbers]] : [])));
  const uses = await readAgreementUses(db);
  const agreements = uses.flatMap(use => {
    const range = ranges.get(use.rail);
    return range ? { ...use, lastNumber: range.last } : [];
  });
  const known = { records: await readRails(db), agreements };
  for (const line of await showRails(config, known, psps, clock.now(), explain)) console.log(line);
}

async function register(config: Config, { db }: CommandDeps, psps: readonly BacenRail[], name: string): Promise<void> {
  const { settings, place } = requireEntry(config, name);
  const { webhook } = settings;
  if (!webhook) throw new StartError(`${place}.webhook is missing: its url is the public address of the receiver.`);
  if (!config.receiver) {
    throw new StartError('receiver is missing in TRILHO_CONFIG: without it nothing takes what the PSP sends.');
  }
  const address = webhookAddress(webhook.url, requireRecord(await readRails(db), name).pathToken);
  const psp = psps.find(candidate => candidate.name === name)!;
  try {
    await psp.registerWebhook(address, { skipMtls: webhook.skipMtls ?? false });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'wrong_state') throw error;
    throw new StartError(
      `${error.message} Check ${place}.baseUrl, ${place}.webhook.url and ${place}.pixKey, and that the service runs.`,
    );
  }
  const shown = await psp.readWebhook();
  if (shown?.url !== address) {
    const found = shown ? shownAddress(shown.url) : 'none';
    throw new StartError(`The PSP took ${shownAddress(address)} as the webhook of ${name}, but shows ${found}.`);
  }
  console.log(`The PSP notifies of payments to ${name} at ${shownAddress(shown.url)}`);
}

function requireEntry({ rails }: Config, name: string): { settings: RailSettings; place: string } {
  const index = rails.findIndex(rail => rail.name === name);
  const settings = rails[index];
  if (settings) return { settings, place: `rails[${index}]` };
  const known = rails.length === 0 ? 'none' : rails.map(rail => rail.name).join(', ');
  throw new StartError(`rails in TRILHO_CONFIG has no ${quoted(name)}; there is ${known}.`);
}

/** A rail has its path from the first start with it. */
function requireRecord(records: readonly RailRecord[], name: string): RailRecord {
  const record = records.find(candidate => candidate.name === name);
  if (!record) throw new StartError(`The service has not started with the rail ${name} yet: start it once first.`);
  return record;
}

const SHOWN_OF_TOKEN = 4;

/** The path cannot be guessed and must not be, so most of it is left out. */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'another address';
  const { origin, pathname } = new URL(url);
  const place = pathname.lastIndexOf('/') + 1;
  return `${origin}${pathname.slice(0, place + SHOWN_OF_TOKEN)}…`;
}
