// Every command: its line in the help, and its module. Nothing here loads a command, so that help stays fast.
import { ACCOUNTS } from './commands/accounts.ts';
import { CHARGES } from './commands/charges.ts';
import type { CommandEntry } from './commands/entry.ts';
import { OPERATIONS } from './commands/operations.ts';
import { PAYOUTS } from './commands/payouts.ts';
import { TESTING } from './commands/testing.ts';

export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map([
  ...ACCOUNTS,
  ...CHARGES,
  ...PAYOUTS,
  ...TESTING,
  ...OPERATIONS,
]);
