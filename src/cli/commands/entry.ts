// What the table of commands holds for each command.
import type { Config } from '../../config/config.ts';
import type { Settings } from '../../config/read.ts';
import type { Log } from '../../lib/log.ts';

export type Command = (config: Config, log: Log, args: readonly string[], settings: Settings) => Promise<number>;

/** A command that reads no settings. */
export type PlainCommand = (args: readonly string[]) => Promise<number>;

export type CommandEntry = {
  readonly summary: string;
  /** The lines of its help, below the summary. */
  readonly help: readonly string[];
  /** It takes settings and no arguments. */
  readonly takesNothing?: boolean;
  /** It runs until it is stopped, and its output is a log: a reader that goes away does not make it fail. */
  readonly isService?: boolean;
  /** What runs when these arguments need no settings: a person without a service may not have any. */
  loadPlain?(args: readonly string[]): Promise<PlainCommand> | undefined;
  /** Each command loads only its own modules: those of the service alone take half a second of CPU. */
  load(): Promise<Command>;
};

export const USES_DATABASE = 'It uses the database of the service, names it on standard error, and never creates one.';

/** Commands by name, in the order of the help. */
export type Commands = readonly (readonly [string, CommandEntry])[];
