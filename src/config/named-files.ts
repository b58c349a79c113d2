// The files with passwords and keys that settings name. Messages name the setting, not the path, since someone may put a secret there.
import type { EffectiveSetting, Settings } from './read.ts';

export type NamedFile = {
  /** The setting, such as `signers[0].passwordFile`. */
  readonly setting: string;
  readonly path: string;
  /** False for public files, such as a certificate. */
  readonly isSecret: boolean;
};

const PUBLIC_FILES = ['certificateFile', 'caFile', 'clientCaFile'];

/** Without the file of the master key, which cannot be sealed. */
export function namedFiles({ effective, values }: Settings): NamedFile[] {
  const variables = effective.flatMap(({ setting, file }) => {
    if (file === undefined || setting.name === 'TRILHO_MASTER_KEY') return [];
    return { setting: `${setting.name}_FILE`, path: file, isSecret: true };
  });
  const fields = effective
    .flatMap(row => fieldsOf(row, values))
    .flatMap(({ at, name, text }) => {
      return name.endsWith('File') ? { setting: at, path: text, isSecret: !PUBLIC_FILES.includes(name) } : [];
    });
  return [...variables, ...fields];
}

type Field = { readonly at: string; readonly name: string; readonly text: string };

/** Every text inside a structured setting. */
function fieldsOf({ setting }: EffectiveSetting, values: Settings['values']): Field[] {
  const value: unknown = Object.entries(values).find(([name]) => name === setting.name)?.[1];
  return typeof value === 'object' && value !== null ? textsIn(setting.inFile ?? setting.name, value) : [];
}

function textsIn(at: string, value: object): Field[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const place = Array.isArray(value) ? `${at}[${name}]` : `${at}.${name}`;
    if (typeof inner === 'string') return { at: place, name, text: inner };
    return typeof inner === 'object' && inner !== null ? textsIn(place, inner) : [];
  });
}
