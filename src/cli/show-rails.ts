// The rails of a live service as lines for a person: whose charges they get, and whether they are well.
import type { AgreementUse } from '../charges/bank-files/store-agreements.ts';
import type { RailRecord } from '../charges/store/rails.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import { webhookAddress } from '../rails/bank-client/webhook.ts';
import { calledEntries, placedEntries } from '../rails/entries.ts';
import type { RailEntry } from '../rails/kind.ts';
import type { Bank } from '../rails/live-rails.ts';
import { PIX_KEY_RAIL } from '../rails/static-key/rail.ts';

/** What is wrong with a rail whose PSP gave this error; undefined when that is not known. */
export type Explain = (rail: string, error: unknown) => Promise<string | undefined>;

type Row = readonly [name: string, value: string];

/** Asks every PSP which webhook it has. A rail that is configured no more, and the static key, are listed too. */
export async function showRails(
  config: Pick<Config, 'rails' | 'pixKey' | 'boletos'>,
  { records, agreements }: { readonly records: readonly RailRecord[]; readonly agreements: readonly UsedAgreement[] },
  banks: readonly Bank[],
  now: Date,
  explain: Explain,
): Promise<string[]> {
  const entries = placedEntries(config).filter(({ kind }) => kind?.section !== 'pixKey');
  const blocks = await Promise.all(
    calledEntries(config).map(async ({ kind, entry, bank: { webhook } }) => {
      const { name } = entry;
      const record = records.find(one => one.name === name);
      const use = agreements.find(({ rail }) => rail === name);
      const bank = banks.find(one => one.name === name)!;
      return block(`${name}  ${kind.method}  ${kind.describe(entry)}`, [
        ['charges', chargesOf(entry)],
        ...(use ? [numbersRow(use)] : []),
        ...watchRows(record),
        ['certificate', certificateText(bank.certificateEnd(), now)],
        ...(bank.webhook ? [['webhook', await webhookText({ name, webhook }, record, bank, explain)] as const] : []),
      ]);
    }),
  );
  const ofFiles = entries.flatMap(({ kind, entry }) => {
    if (!kind?.isByFile) return [];
    const use = agreements.find(({ rail }) => rail === entry.name);
    return [
      block(`${entry.name}  ${kind.method}  ${kind.describe(entry)}`, [['charges', chargesOf(entry)], ...useRows(use)]),
    ];
  });
  const listed = new Set(entries.map(({ kind, entry }) => `${entry.name} ${kind?.method}`));
  const others = records
    .filter(({ name, method }) => !listed.has(`${name} ${method}`))
    .map(({ name, method }) => {
      const isKey = name === PIX_KEY_RAIL && config.pixKey !== undefined;
      return block(`${name}  ${method}`, [['charges', isKey ? 'the static pix key' : 'not configured any more']]);
    });
  const lines = [...blocks, ...ofFiles, ...others].flat();
  return lines.length > 0 ? lines : ['There is no rail: set rails or boletos in TRILHO_CONFIG, or TRILHO_PIX_KEY.'];
}

function block(head: string, rows: readonly Row[]): string[] {
  return [head, ...rows.map(([name, value]) => `  ${name.padEnd(15)}${value}`)];
}

/** An agreement that the service has started with. */
type UsedAgreement = AgreementUse & { readonly lastNumber: bigint };

function useRows(use: UsedAgreement | undefined): Row[] {
  if (!use) return [['numbers', 'not known: the service has not started with this agreement yet']];
  const { waiting, lastFile, lastReturnAt, exchangeError } = use;
  return [
    numbersRow(use),
    ['waiting', `${waiting} for a file`],
    ['last file', lastFile ? `${lastFile.sequence}, made ${lastFile.madeAt.toISOString()}` : 'none'],
    ['last return', lastReturnAt ? `read ${lastReturnAt.toISOString()}` : 'none'],
    ...(exchangeError === undefined ? [] : [['sftp', exchangeError] as const]),
  ];
}

function numbersRow({ nextNumber, lastNumber }: UsedAgreement): Row {
  const left = lastNumber - nextNumber + 1n;
  return ['numbers', left > 0n ? `${left} left, the next is ${nextNumber}` : '0 left: boletos are refused'];
}

function chargesOf({ accounts, former }: RailEntry): string {
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

function certificateText(end: Date | undefined, now: Date): string {
  if (!end) return 'not needed';
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  return days < 0 ? `expired ${end.toISOString()}` : `${days} days left, until ${end.toISOString()}`;
}

async function webhookText(
  { name, webhook }: { readonly name: string; readonly webhook?: { readonly url: string } | undefined },
  record: RailRecord | undefined,
  bank: Bank,
  explain: Explain,
): Promise<string> {
  try {
    const found = await bank.webhook?.readWebhook();
    if (!found) return webhook ? 'not registered; run trilho rails register-webhook' : 'not used';
    const isOurs = webhook && record && found.url === webhookAddress(webhook.url, record.pathToken);
    return isOurs ? 'registered' : 'registered at another address';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `not known: ${(await explain(name, error)) ?? error.message}`;
  }
}
