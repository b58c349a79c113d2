// The rails of a live service as lines for a person: whose charges they get, and whether they are well.
import type { AgreementUse } from '../charges/bank-files/store-agreements.ts';
import type { RailRecord } from '../charges/store-rails.ts';
import type { Config } from '../config/config.ts';
import type { RailSettings } from '../config/rail-settings.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import type { BacenRail } from '../rails/bacen/rail.ts';
import { type WebhookAdmin, webhookAddress } from '../rails/bacen/webhook.ts';

/** What is wrong with a rail whose PSP gave this error; undefined when that is not known. */
export type Explain = (rail: string, error: unknown) => Promise<string | undefined>;

/** A bank that is called. */
export type Bank = {
  readonly name: string;
  certificateEnd(): Date | undefined;
  /** Absent where the bank tells of nothing. */
  readonly webhook?: WebhookAdmin;
};

export function asBank(rail: BacenRail): Bank {
  const { name, certificateEnd, registerWebhook, readWebhook } = rail;
  return { name, certificateEnd, webhook: { registerWebhook, readWebhook } };
}

type Row = readonly [name: string, value: string];

/** Asks every PSP which webhook it has. A rail that is configured no more, and the static key, are listed too. */
export async function showRails(
  { rails: entries, pixKey, boletos }: Pick<Config, 'rails' | 'pixKey' | 'boletos'>,
  { records, agreements }: { readonly records: readonly RailRecord[]; readonly agreements: readonly UsedAgreement[] },
  banks: readonly Bank[],
  now: Date,
  explain: Explain,
): Promise<string[]> {
  const blocks = await Promise.all(
    entries.map(async settings => {
      const record = records.find(({ name }) => name === settings.name);
      const bank = banks.find(({ name }) => name === settings.name)!;
      const { name, profile, environment } = settings;
      return block(`${name}  pix  ${profile} (${environment})`, [
        ['charges', chargesOf(settings)],
        ...watchRows(record),
        ['certificate', certificateWords(bank.certificateEnd(), now)],
        ['webhook', await webhookWords(settings, record, bank, explain)],
      ]);
    }),
  );
  const ofApis = await Promise.all(
    boletos.flatMap(({ api, ...settings }) => {
      if (!api) return [];
      const { name } = settings;
      const record = records.find(one => one.name === name);
      const use = agreements.find(({ rail }) => rail === name);
      const bank = banks.find(one => one.name === name)!;
      const head = `${name}  boleto  ${api.profile} (${api.environment}) by its API`;
      return (async () =>
        block(head, [
          ['charges', chargesOf(settings)],
          ...(use ? [numbersRow(use)] : []),
          ...watchRows(record),
          ['certificate', certificateWords(bank.certificateEnd(), now)],
          ...(bank.webhook
            ? [['webhook', await webhookWords({ name, webhook: api.webhook }, record, bank, explain)] as const]
            : []),
        ]))();
    }),
  );
  const byFile = boletos.filter(({ api }) => !api);
  const ofBoletos = byFile.map(settings => {
    const use = agreements.find(({ rail }) => rail === settings.name);
    return block(`${settings.name}  boleto  bank ${settings.bank} by file`, [
      ['charges', chargesOf(settings)],
      ...useRows(use),
    ]);
  });
  const listed = new Set([...entries.map(({ name }) => `${name} pix`), ...boletos.map(({ name }) => `${name} boleto`)]);
  const others = records
    .filter(({ name, method }) => !listed.has(`${name} ${method}`))
    .map(({ name, method }) => {
      const isKey = name === 'pix-key' && pixKey !== undefined;
      return block(`${name}  ${method}`, [['charges', isKey ? 'the static pix key' : 'not configured any more']]);
    });
  const lines = [...blocks, ...ofApis, ...ofBoletos, ...others].flat();
  return lines.length > 0 ? lines : ['There is no rail: set rails or boletos in TRILHO_CONFIG, or TRILHO_PIX_KEY.'];
}

function block(head: string, rows: readonly Row[]): string[] {
  return [head, ...rows.map(([name, value]) => `  ${name.padEnd(15)}${value}`)];
}

/** An agreement that the service has started with. */
export type UsedAgreement = AgreementUse & { readonly lastNumber: bigint };

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
  return ['numbers', left > 0n ? `${left} left, the next is ${nextNumber}` : 'none left: boletos are refused'];
}

function chargesOf({ accounts, former }: Pick<RailSettings, 'accounts' | 'former'>): string {
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
  { name, webhook }: { readonly name: string; readonly webhook?: { readonly url: string } | undefined },
  record: RailRecord | undefined,
  bank: Bank,
  explain: Explain,
): Promise<string> {
  try {
    const found = await bank.webhook?.readWebhook();
    if (!found) return webhook ? 'not registered; run trilho rails register-webhook' : 'none';
    const isOurs = webhook && record && found.url === webhookAddress(webhook.url, record.pathToken);
    return isOurs ? 'registered' : 'registered at another address';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `not known: ${(await explain(name, error)) ?? error.message}`;
  }
}
