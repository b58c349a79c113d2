// The file that TRILHO_CONFIG names: JSON with the structured settings, one section for each subject. The table of settings defines what
// it may contain.
import { type TSchema, Type } from 'typebox';
import { valueAt } from '../lib/exact-json.ts';
import { type Check, checkSchema } from '../lib/settings/check-schema.ts';
import { type Kind, parseJson } from '../lib/settings/kinds.ts';
import { type ReadFile, tryReadFile } from '../lib/settings/read-file.ts';
import type { Setting } from '../lib/settings/setting.ts';
import { SETTINGS } from './settings.ts';

const CLOSED = { additionalProperties: false } as const;

type Place = { readonly path: readonly string[]; readonly schema: TSchema };

const ConfigFile = sectionOf(
  SETTINGS.flatMap(({ inFile, kind }: Setting): Place[] =>
    inFile === undefined ? [] : [{ path: inFile.split('.'), schema: kind.schema ?? scalar(kind) }],
  ),
);

/** A schema of an object with fields at these paths. */
function sectionOf(places: readonly Place[]): TSchema {
  const fields = [...Map.groupBy(places, ({ path: [field] }) => field!)].map(([field, found]) => {
    const whole = found.find(({ path }) => path.length === 1);
    const inside = found.map(({ path, schema }) => ({ path: path.slice(1), schema }));
    return [field, Type.Optional(whole?.schema ?? sectionOf(inside))] as const;
  });
  return Type.Object(Object.fromEntries(fields), CLOSED);
}

/** A field with the values of its environment variable, as a JSON number or as text. */
function scalar(kind: Kind<unknown>) {
  const holds = (value: unknown) =>
    (typeof value === 'number' || typeof value === 'string') && 'value' in kind.parse(String(value));
  return Type.Unknown({ 'x-check': { holds, message: `must be ${kind.description}` } satisfies Check });
}

export type ConfigDocument = {
  /** The text of the setting at a path, such as `prices.sources`. */
  textAt(path: string): string | undefined;
};

/** The settings of the file, or every fault with its path. */
export function readConfigFile(
  path: string,
  readFile: ReadFile,
): { readonly document: ConfigDocument } | { readonly faults: readonly string[] } {
  const file = tryReadFile(readFile, path);
  if ('fault' in file) return { faults: [`TRILHO_CONFIG: ${file.fault}.`] };
  const json = parseJson(file.text);
  if (!json) return { faults: ['TRILHO_CONFIG: the file is not JSON.'] };
  const checked = checkSchema(ConfigFile, json.value);
  if ('faults' in checked) {
    return { faults: checked.faults.map(({ path: at, message }) => `TRILHO_CONFIG: ${at || 'the file'} ${message}.`) };
  }
  const textAt = (at: string) => {
    const value = valueAt(checked.value, at.split('.'));
    return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
  };
  return { document: { textAt } };
}
