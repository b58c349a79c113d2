// trilho payouts pause and resume: stop new payouts of everything, a network or an asset, and resume them.
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { ORDER_RECORDS } from '../orders/payout-owner.ts';
import { type Pause, type PauseScope, pausedScope, pauseMessage } from '../payouts/policy/pause.ts';
import { type PauseDeps, pausePayouts, resumePayouts } from '../payouts/policy/pause-and-resume.ts';
import { readPauses } from '../payouts/store/pauses.ts';
import { checkNetwork } from '../quotes/check.ts';
import { type Arguments, readArguments, refuseFaults } from './arguments.ts';
import { withCharges } from './database.ts';
import { readNetwork, readSymbol } from './read-asset.ts';

/** The limit of the API. */
const MAX_REASON_LENGTH = 255;
const UNCHECKED = 'unchecked';

export async function pauseCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { options: ['network', 'asset', 'reason'] });
  const { reason } = given.options;
  if (reason !== undefined && reason.length > MAX_REASON_LENGTH) {
    given.faults.push(`--reason must have at most ${MAX_REASON_LENGTH} characters`);
  }
  const scope = readScope('payouts pause', given);
  const pauses = await withCharges({ config, log, action: 'trilho payouts pause' }, deps =>
    pausePayouts(
      { ...deps, payoutOwner: ORDER_RECORDS },
      { ...scope, ...(reason !== undefined && { reason }), by: 'operator' },
    ),
  );
  printPauses(pauses);
  return 0;
}

/** Ends a pause of exactly this scope; that of a restore only after a full check, or when the operator vouches for it. */
export async function resumePausedCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const given = readArguments(args, { options: ['network', 'asset', UNCHECKED] });
  const unchecked = given.options[UNCHECKED];
  if (unchecked !== undefined && !(unchecked.length <= MAX_REASON_LENGTH && /\S/.test(unchecked))) {
    given.faults.push(`--${UNCHECKED} must have 1 to ${MAX_REASON_LENGTH} characters: what you looked at instead`);
  }
  const scope = readScope('payouts resume', given);
  const isScope = ({ network, symbol }: Pause) => network === scope.network && symbol === scope.symbol;
  const left = await withCharges({ config, log, action: 'trilho payouts resume' }, async deps => {
    const before = await readPauses(deps.db);
    if (before.some(isScope)) return resumeOrRefuse({ ...deps, payoutOwner: ORDER_RECORDS }, scope, unchecked);
    const paused = before.map(pauseMessage).join(' ');
    throw new StartError(`${pausedScope(scope)} are not paused as such.${paused === '' ? '' : ` ${paused}`}`);
  });
  console.log(`${pausedScope(scope)} go on.`);
  printPauses(left);
  return 0;
}

async function resumeOrRefuse(deps: PauseDeps, scope: PauseScope, unchecked: string | undefined): Promise<Pause[]> {
  try {
    return await resumePayouts(deps, scope, unchecked);
  } catch (error) {
    throw error instanceof AppError ? new StartError(error.message) : error;
  }
}

function readScope(command: string, { options, faults }: Arguments): PauseScope {
  const network = readNetwork('--network', options['network'], faults);
  const symbol = readSymbol('--asset', options['asset'], faults);
  faults.push(...checkNetwork(symbol, network).map(({ message }) => `--network ${message}`));
  refuseFaults(command, faults);
  return { ...(network && { network }), ...(symbol && { symbol }) };
}

function printPauses(pauses: readonly Pause[]): void {
  for (const pause of pauses) console.log(`${pauseMessage(pause)} Since ${pause.pausedAt.toISOString()}.`);
}
