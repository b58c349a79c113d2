// The command line: the first argument names the command, the environment has the settings. Version and help load nothing else.
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Settings } from '../config/read.ts';
import { AwayError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../lib/version.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import type { CommandEntry } from './commands/entry.ts';
import { COMMANDS } from './commands.ts';
import { watchOutput } from './output.ts';

/** systemd does not restart after this code: see deploy/trilho.service. */
const NOT_AS_ASKED = 2;
const NOT_NOW = 1;

/** Runs a command and returns the exit code: 0 when done, 2 when it cannot be done as asked, 1 when a retry may succeed. */
export async function run(args: readonly string[]): Promise<number> {
  const exitCodeOf = watchOutput();
  const isService = COMMANDS.get(args[0] ?? '')?.isService ?? false;
  try {
    const code = await dispatch(args);
    return isService ? code : await exitCodeOf(code);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    return error instanceof AwayError ? NOT_NOW : NOT_AS_ASKED;
  }
}

async function dispatch([name = 'help', ...args]: readonly string[]): Promise<number> {
  if (isHelp(name) || name === 'help') return say(helpOn(args));
  if (name === 'version' || name === '--version' || name === '-v') {
    if (args.some(isHelp)) return say('trilho version: print the version');
    requireNoArguments(name, args);
    return say(version);
  }
  const command = requireCommand(name);
  if (args.some(isHelp)) return say(helpOf(name, command));
  if (command.takesNothing) requireNoArguments(name, args);
  const plain = await command.loadPlain?.(args);
  if (plain) return plain(args);
  readEnvFile();
  const { config, settings } = await loadConfig();
  const log = await loadLog(config);
  process.on('uncaughtException', error => {
    log.fatal('uncaught exception; exiting', { error });
    process.exit(1);
  });
  const runCommand = await command.load();
  return runCommand(config, log, args, settings);
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h';
}

function requireCommand(name: string): CommandEntry {
  const command = COMMANDS.get(name);
  if (!command) throw new StartError(`There is no command ${quoted(name)}. Try trilho help.`);
  return command;
}

function requireNoArguments(name: string, args: readonly string[]): void {
  if (args.length === 0) return;
  refuseFaults(name, ['it takes no arguments', ...readArguments(args, {}).faults]);
}

/** Help on all commands, or on the named one. */
function helpOn(args: readonly string[]): string {
  const { positionals, faults } = readArguments(
    args.filter(argument => !isHelp(argument)),
    { optionalPositionals: ['command'] },
  );
  refuseFaults('help', faults);
  const [name = 'help'] = positionals;
  return name === 'help' || name === 'version' ? helpOnAll() : helpOf(name, requireCommand(name));
}

function helpOnAll(): string {
  const rows = [...COMMANDS].map(([name, { summary }]) => [name, summary] as const);
  const all = [...rows, ['version', 'print the version'], ['help', 'print this, or the help of one command']] as const;
  const width = Math.max(...all.map(([name]) => name.length));
  const lines = all.map(([name, summary]) => `  trilho ${name.padEnd(width)}   ${summary}`);
  return `trilho ${version}

${lines.join('\n')}

trilho <command> --help says more. Configuration comes from the environment, a file .env and the file that TRILHO_CONFIG
names.`;
}

function helpOf(name: string, { summary, help }: CommandEntry): string {
  return [`trilho ${name}: ${summary}`, '', ...help.map(line => `  ${line}`.trimEnd())].join('\n');
}

async function loadConfig(): Promise<{ config: Config; settings: Settings }> {
  const [{ configOf }, { readSettings }] = await Promise.all([
    import('../config/config.ts'),
    import('../config/read.ts'),
  ]);
  const settings = readSettings(process.env);
  return { config: configOf(settings), settings };
}

async function loadLog({ logLevel }: Config): Promise<Log> {
  const [{ createLog }, { logOutput }] = await Promise.all([import('../lib/log.ts'), import('./log-output.ts')]);
  return createLog(logLevel, logOutput());
}

/** The environment takes precedence over the file. */
function readEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch {
    throw new StartError('The file .env in this folder cannot be read.');
  }
}

function say(text: string): number {
  console.log(text);
  return 0;
}
