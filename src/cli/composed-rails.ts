// The rails that the service has with these settings, for commands about bank files. No bank is called.
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { liveRails } from '../rails/live-rails.ts';
import type { Rails } from '../rails/rails.ts';
import { sandboxRailsWith } from '../sandbox/agreements.ts';

export function composedRails(config: Config, deps: { readonly clock: Clock; readonly log: Log }): Rails {
  if (config.mode === 'sandbox') return sandboxRailsWith(config.boletos, deps);
  const { rails, stop } = liveRails(config, deps);
  stop();
  return rails;
}
