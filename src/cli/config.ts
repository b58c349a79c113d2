// trilho config: prints the settings in effect and where each came from, without secrets. Refuses what the service would
// refuse at its start.
import type { Config } from '../config/config.ts';
import type { EffectiveSetting, Settings } from '../config/read.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { openColdAddresses } from '../payouts/own-transfers/cold-rules.ts';
import { openLimits } from '../payouts/policy/limits.ts';

/** The settings come from the caller: a secret in a pipe can be read only once. */
export async function configCommand(
  { mode, payouts }: Config,
  _log: Log,
  _args: readonly string[],
  { effective }: Settings,
): Promise<number> {
  // What the schema of the setting cannot express: assets that a network lacks, decimals, addresses.
  openLimits(payouts.limits ?? [], mode);
  openColdAddresses(payouts.coldAddresses);
  for (const row of effective) if (isShown(row, mode)) console.log(lineOf(row, mode));
  return 0;
}

/** A setting without effect in this mode is omitted, unless it is given. */
function isShown({ setting, origin }: EffectiveSetting, mode: Mode): boolean {
  return hasEffect(setting.mode, mode) || origin !== 'default';
}

function lineOf({ setting, origin, text }: EffectiveSetting, mode: Mode): string {
  const value = text === undefined ? '(not set)' : setting.isSecret ? '(set, hidden)' : onOneLine(text);
  const note = hasEffect(setting.mode, mode) ? '' : `, no effect in ${mode}`;
  return `${setting.name}=${value}   (${origin}${note})`;
}

function hasEffect(settingMode: Mode | undefined, mode: Mode): boolean {
  return settingMode === undefined || settingMode === mode;
}

function onOneLine(text: string): string {
  return /\p{Cc}/u.test(text) ? JSON.stringify(text) : text;
}
