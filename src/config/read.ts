// Reads every setting of the table from the environment, from files of secrets and from the file of TRILHO_CONFIG, and reports every
// fault at once. An empty variable counts as not set.
import { StartError } from '../lib/errors.ts';
import { MODES, type Mode } from '../lib/mode.ts';
import { type ReadFile, readTextFile, textOfSecret, tryReadFile } from '../lib/settings/read-file.ts';
import { giveMasterKeys } from '../lib/settings/sealed-file.ts';
import { defaultOf, type Setting } from '../lib/settings/setting.ts';
import { type ConfigDocument, readConfigFile } from './config-file.ts';
import { DEFAULT_MODE, SETTINGS, type SettingValues } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value came from; `file` is that of a secret. */
export type Origin = 'default' | 'environment' | 'file' | 'TRILHO_CONFIG';

export type EffectiveSetting = {
  readonly setting: Setting;
  readonly origin: Origin;
  /** Absent when it has no value. */
  readonly text?: string;
  /** The file that a secret was read from. */
  readonly file?: string | undefined;
};

export type Settings = {
  readonly values: SettingValues;
  readonly effective: readonly EffectiveSetting[];
};

type Inputs = {
  readonly environment: Environment;
  readonly readFile: ReadFile;
  readonly document: ConfigDocument | undefined;
  /** Absent when TRILHO_MODE itself is wrong. */
  readonly mode: Mode | undefined;
};

/** Throws a StartError that lists every fault, never with the value of a secret setting. */
export function readSettings(environment: Environment, readFile: ReadFile = readTextFile): Settings {
  const configPath = environment['TRILHO_CONFIG'] || undefined;
  const file = configPath === undefined ? undefined : readConfigFile(configPath, readFile);
  const document = file && 'document' in file ? file.document : undefined;
  const modeText = environment['TRILHO_MODE'] || DEFAULT_MODE;
  const mode = MODES.find(known => known === modeText);
  const masterKeys = SETTINGS.find(({ name }) => name === 'TRILHO_MASTER_KEY')!;
  const { value } = readSetting(masterKeys, { environment, readFile, document, mode });
  // First, since a file that another setting names may be sealed.
  if (Array.isArray(value)) giveMasterKeys(value);
  const rows = SETTINGS.map(setting => readSetting(setting, { environment, readFile, document, mode }));
  const faults = [
    ...rows.flatMap(row => row.faults),
    ...missingOfGroups(rows, mode),
    ...(file && 'faults' in file ? file.faults : []),
    ...unknownVariables(environment),
  ];
  if (mode === undefined || faults.length > 0) throw new StartError(faults.join('\n'));
  const entries = rows.map(({ setting, value }) => [setting.name, value]);
  // Each value was read by its setting's own kind, which is where its type comes from.
  return { values: Object.fromEntries(entries) as SettingValues, effective: rows };
}

type ReadRow = EffectiveSetting & { readonly value?: unknown; readonly faults: readonly string[] };

function readSetting(setting: Setting, inputs: Inputs): ReadRow {
  const { mode } = inputs;
  const { given, faults } = findText(setting, inputs);
  if (faults.length > 0) return { setting, origin: given?.origin ?? 'default', faults };
  if (given && isRefused(setting, mode)) {
    return { setting, origin: given.origin, faults: [`${given.label}: ${setting.refusal}.`] };
  }
  const { text, origin, label } = given ?? {
    text: defaultOf(setting, mode ?? DEFAULT_MODE),
    origin: 'default',
    label: setting.name,
  };
  if (text === undefined) return { setting, origin, faults };
  const parsed = setting.kind.parse(text);
  if ('value' in parsed) {
    const { value } = parsed;
    return { setting, origin, value, text: setting.kind.show?.(value) ?? text, file: given?.file, faults };
  }
  const wrong = parsed.wrong.map(({ at = '', message, quote }) => {
    const repeated = setting.isSecret || quote === undefined ? '' : `, not ${JSON.stringify(quote)}`;
    return `${label}${at} ${message}${repeated}.`;
  });
  return { setting, origin, faults: wrong };
}

/** `label`: its name in faults. */
type Given = { readonly text: string; readonly origin: Origin; readonly label: string; readonly file?: string };

/** The text of a setting from its only source; two sources are a fault. No text for a setting that is not read. */
function findText(setting: Setting, inputs: Inputs): { readonly given?: Given; readonly faults: readonly string[] } {
  const { environment, readFile, document } = inputs;
  const { name, isSecret = false, inFile, onlyWith } = setting;
  if (onlyWith !== undefined && !environment[onlyWith]) return { faults: [] };
  const found: Given[] = [];
  const faults: string[] = [];

  const text = environment[name] || undefined;
  if (text !== undefined) found.push({ text, origin: 'environment', label: name });

  const path = (isSecret && environment[`${name}_FILE`]) || undefined;
  if (path !== undefined) {
    const label = `${name}_FILE`;
    const file = tryReadFile(named => textOfSecret(readFile, named), path);
    const content = 'text' in file ? file.text.replace(/\r?\n$/, '') : '';
    if ('fault' in file) faults.push(`${label}: ${file.fault}.`);
    else if (content === '') faults.push(`${label}: the file is empty.`);
    found.push({ text: content, origin: 'file', label, file: path });
  }

  const inDocument = inFile === undefined ? undefined : document?.textAt(inFile);
  if (inDocument !== undefined) {
    found.push({ text: inDocument, origin: 'TRILHO_CONFIG', label: `TRILHO_CONFIG: ${inFile}` });
  }

  const [given, ...others] = found;
  for (const other of others) faults.push(`${given?.label} is also given as ${other.label}; keep one.`);
  return { faults, ...(given && { given }) };
}

function isRefused(setting: Setting, mode: Mode | undefined): boolean {
  return mode !== undefined && setting.refusal !== undefined && setting.mode !== mode;
}

/** Reports a setting that is missing although another of its group is given. */
function missingOfGroups(rows: readonly ReadRow[], mode: Mode | undefined): string[] {
  const groups = Map.groupBy(
    rows.filter(({ setting }) => setting.group !== undefined && !isRefused(setting, mode)),
    ({ setting }) => setting.group,
  );
  return [...groups.values()].flatMap(group => {
    const given = group.filter(({ origin }) => origin !== 'default').map(({ setting }) => setting.name);
    const missing = group.filter(({ origin }) => origin === 'default').map(({ setting }) => setting.name);
    return given.length === 0 ? [] : missing.map(name => `${name} is needed together with ${given.join(' and ')}.`);
  });
}

/** Reports unknown variables: a misspelt one would silently leave its setting at the default. */
function unknownVariables(environment: Environment): string[] {
  const settings: readonly Setting[] = SETTINGS;
  return Object.keys(environment).flatMap(variable => {
    if (!variable.startsWith('TRILHO_') || settings.some(({ name }) => name === variable)) return [];
    const setting = settings.find(({ name }) => variable === `${name}_FILE`);
    if (!setting) return [`${variable} is not a variable of Trilho.`];
    return setting.isSecret ? [] : [`${variable}: ${setting.name} is not a secret, so it is not read from a file.`];
  });
}
