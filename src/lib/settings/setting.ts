// What a setting is.
import type { Mode } from '../mode.ts';
import type { Kind } from './kinds.ts';

export type Setting = {
  /** The environment variable. A secret may also be given as a file, by the same name with `_FILE`. */
  readonly name: string;
  readonly kind: Kind<unknown>;
  /** Default text, for both modes or for each; a mode without one has no value unless it is given. */
  readonly default?: string | Readonly<Partial<Record<Mode, string>>>;
  /** The only mode in which it has an effect. */
  readonly mode?: Mode;
  /** Why the other mode refuses it; when absent, the other mode ignores it. */
  readonly refusal?: string;
  /** Never shown and never repeated in a fault. */
  readonly isSecret?: true;
  /** Settings of one group must be given together or not at all. */
  readonly group?: string;
  /** Only read when this one is given: the variable may be meant for other programs. */
  readonly onlyWith?: string;
  /** Its place in the file of TRILHO_CONFIG, as an alternative. */
  readonly inFile?: string;
  /** For people, in complete sentences. */
  readonly meaning: string;
};

/** A setting with a default in both modes always has a value. */
type ValueOf<S> = S extends { readonly kind: Kind<infer T> }
  ? S extends { readonly default: string | Readonly<Record<Mode, string>> }
    ? T
    : T | undefined
  : never;

/** The value of every setting of a list, by its name. */
export type ValuesOf<Settings extends readonly Setting[]> = {
  readonly [S in Settings[number] as S['name']]: ValueOf<S>;
};

/** The default text of a setting. */
export function defaultOf(setting: Setting, mode: Mode): string | undefined {
  return typeof setting.default === 'string' ? setting.default : setting.default?.[mode];
}
