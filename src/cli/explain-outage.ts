// Diagnoses a PSP that does not answer a command, so that the error names the setting that is wrong.
import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { calledEntries } from '../rails/entries.ts';

type Deps = { readonly clock: Clock; readonly log: Log };

/** Does `work` with a rail. An outage of its PSP becomes a StartError with what a diagnosis finds wrong. */
export async function explainingOutage<T>(
  config: Pick<Config, 'rails' | 'boletos'>,
  deps: Deps,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = await causeOfOutage(config, deps, name, error);
    throw cause === undefined ? error : new StartError(cause);
  }
}

/** A sentence that names the wrong setting; undefined when the error is no outage, or nothing wrong is found. */
export async function causeOfOutage(
  { rails, boletos }: Pick<Config, 'rails' | 'boletos'>,
  deps: Deps,
  name: string,
  error: unknown,
): Promise<string | undefined> {
  if (!(error instanceof AppError) || error.code !== 'rail_unavailable') return undefined;
  const asked = calledEntries({ rails, boletos }).find(({ entry }) => entry.name === name);
  if (!asked) return undefined;
  const { called, entry, place } = asked;
  const wrong = (await called.diagnose(entry, deps, {})).find(({ ok }) => !ok);
  return wrong && `${place}, ${wrong.name}: ${wrong.detail} ${wrong.mend ?? ''}`.trimEnd();
}
