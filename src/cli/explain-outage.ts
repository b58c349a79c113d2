// A PSP that does not answer a command is examined, so that the refusal names the setting that is wrong.
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { diagnoseRail } from '../rails/bacen/diagnose.ts';

type Deps = { readonly clock: Clock; readonly log: Log };

/** Does `work` with a rail. An outage of its PSP becomes a StartError with what a diagnosis finds wrong. */
export async function explainingOutage<T>(
  { rails }: Pick<Config, 'rails'>,
  deps: Deps,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const index = rails.findIndex(rail => rail.name === name);
    const entry = rails[index];
    if (!(error instanceof AppError) || error.code !== 'rail_unavailable' || !entry) throw error;
    const { webhook: _, ...settings } = entry;
    const wrong = (await diagnoseRail(settings, deps)).find(({ ok }) => !ok);
    if (!wrong) throw error;
    throw new StartError(`rails[${index}], ${wrong.name}: ${wrong.detail} ${wrong.mend ?? ''}`.trimEnd());
  }
}
