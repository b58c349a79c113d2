// trilho accounts settings: prints or changes what payers see of an account.
import { readFile } from 'node:fs/promises';
import type { SettingsChange } from '../accounts/settings.ts';
import { requireSettings, updateSettings } from '../accounts/update-settings.ts';
import { settingsView } from '../api/account-settings.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const OPTIONS = [
  'name',
  'document',
  'colour',
  'return-url',
  'support-url',
  'frame-origins',
  'logo',
  'offers-remainder',
] as const;
/** What removes a value. */
const REMOVE = 'none';

export async function accountSettings(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, options, faults } = readArguments(args, { positionals: ['id'], options: OPTIONS });
  const [id = ''] = positionals;
  refuseFaults('accounts settings', faults);
  const change = await changeOf(options);
  const settings = await withDatabase({ config, log, action: 'trilho accounts settings' }, async deps => {
    try {
      const isChange = Object.keys(change).length > 0;
      return isChange ? await updateSettings(deps, id, change) : await requireSettings(deps.db, id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const named = error.faults.map(({ path, message }) => `${path} ${message}`);
      throw new StartError(named.length > 0 ? `trilho accounts settings: ${named.join('; ')}.` : error.message);
    }
  });
  console.log(JSON.stringify(settingsView(id, settings), undefined, 2));
  return 0;
}

async function changeOf(options: Readonly<Record<string, string | undefined>>): Promise<SettingsChange> {
  const text = (name: (typeof OPTIONS)[number]) => (options[name] === REMOVE ? null : options[name]);
  const fields = {
    displayName: text('name'),
    document: text('document'),
    colour: text('colour'),
    returnUrl: text('return-url'),
    supportUrl: text('support-url'),
    logo: await logoOf(text('logo')),
  };
  const origins = text('frame-origins');
  const offers = options['offers-remainder'];
  if (offers !== undefined && offers !== 'yes' && offers !== 'no') {
    throw new StartError('trilho accounts settings: --offers-remainder is yes or no.');
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...given,
    ...(offers !== undefined && { offersRemainder: offers === 'yes' }),
    ...(origins !== undefined && { frameOrigins: origins === null ? [] : origins.split(',') }),
  };
}

/** A file as the `data:` URL that the API takes; its bytes say what kind of picture it is. */
async function logoOf(file: string | null | undefined): Promise<string | null | undefined> {
  if (file === null || file === undefined) return file;
  try {
    return `data:;base64,${(await readFile(file)).toString('base64')}`;
  } catch {
    throw new StartError('trilho accounts settings: the file of --logo cannot be read.');
  }
}
