// The command line: one word chooses what to do; the environment says the rest.
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Settings } from '../config/read.ts';
import { version } from '../config/version.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

const USAGE = `trilho ${version}

  trilho serve      start the service (what npm start does)
  trilho accounts   open an account (create <id>) or list them
  trilho keys       create, list or revoke API keys
  trilho audit      verify: is the audit log whole?
  trilho pay        record a payment of a charge
  trilho import     record payments from a bank statement (OFX or CSV)
  trilho ledger     prove that the books are right: trilho ledger check
  trilho listen     send events of a running service on to a local port
  trilho trigger    make an event happen in a running sandbox
  trilho migrate    bring the schema of DATABASE_URL up to date
  trilho config     print the settings in effect, without secrets
  trilho version    print the version
  trilho help       print this

Configuration comes from the environment, a file .env and the file that TRILHO_CONFIG names.`;

type Command = (config: Config, log: Log, args: readonly string[], settings: Settings) => Promise<number>;

/** Each command loads only its own modules: those of the service alone take half a second of CPU. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  config: async () => (await import('./config.ts')).configCommand,
  pay: async () => (await import('./pay.ts')).payCommand,
  import: async () => (await import('./import.ts')).importCommand,
  ledger: async () => (await import('./ledger.ts')).ledgerCommand,
  accounts: async () => (await import('./accounts.ts')).accountsCommand,
  keys: async () => (await import('./keys.ts')).keysCommand,
  audit: async () => (await import('./audit.ts')).auditCommand,
  listen: async () => (await import('./listen.ts')).listenCommand,
  trigger: async () => (await import('./trigger.ts')).triggerCommand,
};
/** Commands that take only settings. */
const WITHOUT_ARGUMENTS = ['serve', 'migrate', 'config'];

const USAGE_FAULT = 2;

/** Runs a command and returns the exit code: 0 when done, 2 when it could not be done as asked. */
export async function run(args: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (name === 'help' || name === '--help' || name === '-h') return say(USAGE);
  if (name === 'version' || name === '--version' || name === '-v') return say(version);
  const loadCommand = COMMANDS[name];
  if (!loadCommand || (WITHOUT_ARGUMENTS.includes(name) && rest.length > 0)) {
    console.error(
      `${loadCommand ? `trilho ${name} takes no arguments.` : `There is no command ${name}.`} Try trilho help.`,
    );
    return USAGE_FAULT;
  }
  try {
    readEnvFile();
    const { config, settings } = await loadConfig();
    const log = await loadLog(config);
    process.on('uncaughtException', error => {
      log.fatal('uncaught exception; exiting', { error });
      process.exit(1);
    });
    const command = await loadCommand();
    return await command(config, log, rest, settings);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    return USAGE_FAULT;
  }
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

/** What the environment says goes before what the file says. */
function readEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch {
    throw new StartError('The file .env in this folder cannot be read.');
  }
}

function say(words: string): number {
  console.log(words);
  return 0;
}
