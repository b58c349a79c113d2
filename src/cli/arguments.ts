// Reads the positional arguments and options of a command. Reports all faults at once.
import { parseArgs } from 'node:util';
import { StartError } from '../lib/errors.ts';

/** The arguments that a command takes, by the names in its help. */
type Shape = {
  /** Required positional arguments, in order. */
  readonly positionals?: readonly string[];
  /** Optional positional arguments that may follow them. */
  readonly optionalPositionals?: readonly string[];
  /** Options with a value, without their dashes; `neededOptions` are required. */
  readonly options?: readonly string[];
  readonly neededOptions?: readonly string[];
  readonly flags?: readonly string[];
};

export type Arguments = {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly flags: readonly string[];
  /** Faults of form; the command adds its own. */
  readonly faults: string[];
};

/** Another option where a value should be. A value such as a key may begin with one hyphen. */
const OPTION = /^--|^-.?$/;

/** Reads as far as it can; the caller passes the faults to `refuseFaults` together with its own. */
export function readArguments(args: readonly string[], shape: Shape): Arguments {
  const {
    positionals: needed = [],
    optionalPositionals = [],
    options: optional = [],
    neededOptions = [],
    flags: known = [],
  } = shape;
  const valued = [...neededOptions, ...optional];
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([
      ...valued.map(name => [name, { type: 'string' as const }]),
      ...known.map(name => [name, { type: 'boolean' as const }]),
    ]),
    allowPositionals: true,
    // Not strict: the errors of parseArgs name one fault only, and show the value.
    strict: false,
    tokens: true,
  });
  const positionals: string[] = [];
  const options: Record<string, string> = {};
  const flags: string[] = [];
  const faults: string[] = [];
  const seen = new Set<string>();
  let hasUnknown = false;
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (valued.includes(name)) {
      if (seen.has(name)) faults.push(`${rawName} is given twice`);
      else if (!value || (!inlineValue && OPTION.test(value))) faults.push(`${rawName} needs a value`);
      else options[name] = value;
    } else if (!known.includes(name)) {
      faults.push(`${rawName} is not an option`);
      hasUnknown = true;
    } else if (value !== undefined) {
      faults.push(`${rawName} takes no value`);
    } else {
      flags.push(name);
    }
    seen.add(name);
  }
  faults.push(...neededOptions.filter(name => !seen.has(name)).map(name => `--${name} is missing`));
  faults.push(...needed.slice(positionals.length).map(name => `<${name}> is missing`));
  // After an unknown option, an extra argument is probably its value, and may be a secret.
  if (!hasUnknown) {
    const tooMany = positionals.slice(needed.length + optionalPositionals.length);
    faults.push(...tooMany.map(extra => `${quoted(extra)} is one argument too many`));
  }
  return { positionals, options, flags, faults };
}

/** Throws a StartError of one line that names every fault. `command` is what was typed, such as `keys create`. */
export function refuseFaults(command: string, faults: readonly string[]): void {
  if (faults.length === 0) return;
  const [first = ''] = command.split(' ');
  throw new StartError(`trilho ${command}: ${faults.join('; ')}. See trilho ${first} --help.`);
}

const MAX_QUOTED_LENGTH = 60;

/** An argument as a message repeats it. Not for what may be a secret. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text);
}

/** The first of `args` as one of a command's verbs. */
export function readVerb<const T extends string>(command: string, args: readonly string[], verbs: readonly T[]): T {
  const [word] = args;
  const verb = verbs.find(candidate => candidate === word);
  if (verb !== undefined) return verb;
  const wrong = word === undefined ? 'a verb is missing' : `${quoted(word)} is not known`;
  throw new StartError(`trilho ${command}: ${wrong}; it takes ${verbs.join(', ')}. See trilho ${command} --help.`);
}
