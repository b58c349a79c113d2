// The rails of a live service as lines for a person: whose charges they get, and whether they are well.
import type { RailRecord } from '../charges/store-rails.ts';
import type { Config } from '../config/config.ts';
import type { RailSettings } from '../config/rail-settings.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import type { BacenRail } from '../rails/bacen/rail.ts';
import { webhookAddress } from '../rails/bacen/webhook.ts';

/** What is wrong with a rail whose PSP gave this error; undefined when that is not known. */
export type Explain = (rail: string, error: unknown) => Promise<string | undefined>;

type Row = readonly [name: string, value: string];

/** Asks every PSP which webhook it has. A rail that is configured no more, and the static key, are listed too. */
export async function showRails(
  { rails: entries, pixKey }: Pick<Config, 'rails' | 'pixKey'>,
  records: readonly RailRecord[],
  psps: readonly BacenRail[],
  now: Date,
  explain: Explain,
): Promise<string[]> {
  const blocks = await Promise.all(
    entries.map(async settings => {
      const record = records.find(({ name }) => name === settings.name);
      const psp = psps.find(({ name }) => name === settings.name)!;
      const { name, profile, environment } = settings;
      return block(`${name}  pix  ${profile} (${environment})`, [
        ['charges', chargesOf(settings)],
        ...watchRows(record),
        ['certificate', certificateWords(psp.certificateEnd(), now)],
        ['webhook', await webhookWords(settings, record, psp, explain)],
      ]);
    }),
  );
  const others = records
    .filter(({ name }) => !entries.some(entry => entry.name === name))
    .map(({ name, method }) => {
      const isKey = name === 'pix-key' && pixKey !== undefined;
      return block(`${name}  ${method}`, [['charges', isKey ? 'the static pix key' : 'not configured any more']]);
    });
  const lines = [...blocks, ...others].flat();
  return lines.length > 0 ? lines : ['There is no rail: set rails in TRILHO_CONFIG, or TRILHO_PIX_KEY.'];
}

function block(head: string, rows: readonly Row[]): string[] {
  return [head, ...rows.map(([name, value]) => `  ${name.padEnd(15)}${value}`)];
}

function chargesOf({ accounts, former }: RailSettings): string {
  if (former) return 'former: no new ones';
  return accounts ? `of ${accounts.join(', ')}` : 'of every account without a rail of its own';
}

function watchRows(record: RailRecord | undefined): Row[] {
  if (!record) return [['seen until', 'never: the service has not started with this rail yet']];
  const { seenUntil, silentSince } = record;
  return [
    ['seen until', seenUntil?.toISOString() ?? 'never'],
    ['silent since', silentSince?.toISOString() ?? 'not silent'],
  ];
}

function certificateWords(end: Date | undefined, now: Date): string {
  if (!end) return 'none is wanted';
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  return days < 0 ? `expired ${end.toISOString()}` : `${days} days left, until ${end.toISOString()}`;
}

async function webhookWords(
  { name, webhook }: RailSettings,
  record: RailRecord | undefined,
  psp: BacenRail,
  explain: Explain,
): Promise<string> {
  try {
    const found = await psp.readWebhook();
    if (!found) return webhook ? 'not registered; run trilho rails register-webhook' : 'none';
    const isOurs = webhook && record && found.url === webhookAddress(webhook.url, record.pathToken);
    return isOurs ? 'registered' : 'registered at another address';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `not known: ${(await explain(name, error)) ?? error.message}`;
  }
}
