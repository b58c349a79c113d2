// The command line: one word chooses what to do; the environment says the rest.
import { existsSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { StartError } from '../lib/errors.ts';
import { createLog, type Log } from '../lib/log.ts';
import { version } from '../version.ts';
import { accountsCommand } from './accounts.ts';
import { auditCommand } from './audit.ts';
import { importCommand } from './import.ts';
import { keysCommand } from './keys.ts';
import { ledgerCommand } from './ledger.ts';
import { listenCommand } from './listen.ts';
import { logOutput } from './log-output.ts';
import { migrateCommand } from './migrate.ts';
import { payCommand } from './pay.ts';
import { serve } from './serve.ts';
import { triggerCommand } from './trigger.ts';

const USAGE = `trilho ${version}

  trilho serve      start the service (what npm start does)
  trilho accounts   open an account (create <id>) or list them
  trilho keys       create, list or revoke API keys
  trilho audit      verify: is the audit log whole?
  trilho pay        tell of money that came for a charge
  trilho import     learn of money from a bank statement (OFX or CSV)
  trilho ledger     prove that the books are right: trilho ledger check
  trilho listen     send events of a running service on to a local port
  trilho trigger    make an event happen in a running sandbox
  trilho migrate    bring the schema of DATABASE_URL up to date
  trilho version    print the version
  trilho help       print this

Configuration comes from the environment and a file .env; .env.example lists every variable.`;

type Command = (config: Config, log: Log, args: readonly string[]) => Promise<number>;

const COMMANDS: Record<string, Command> = {
  serve,
  migrate: migrateCommand,
  pay: payCommand,
  import: importCommand,
  ledger: ledgerCommand,
  accounts: accountsCommand,
  keys: keysCommand,
  audit: auditCommand,
  listen: listenCommand,
  trigger: triggerCommand,
};
/** Commands that are told nothing but the environment. */
const WITHOUT_ARGUMENTS = ['serve', 'migrate'];

const USAGE_FAULT = 2;

/** Runs a command and returns the exit code: 0 when done, 2 when it could not be done as asked. */
export async function run(args: readonly string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (name === 'help' || name === '--help' || name === '-h') return say(USAGE);
  if (name === 'version' || name === '--version' || name === '-v') return say(version);
  const command = COMMANDS[name];
  if (!command || (WITHOUT_ARGUMENTS.includes(name) && rest.length > 0)) {
    console.error(
      `${command ? `trilho ${name} takes no arguments.` : `There is no command ${name}.`} Try trilho help.`,
    );
    return USAGE_FAULT;
  }
  try {
    readEnvFile();
    const config = readConfig(process.env);
    const log = createLog(config.logLevel, logOutput());
    process.on('uncaughtException', error => {
      log.error('a fault nobody caught; leaving', { error });
      process.exit(1);
    });
    return await command(config, log, rest);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    return USAGE_FAULT;
  }
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
