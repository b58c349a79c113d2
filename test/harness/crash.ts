// Processes that are killed between two steps of a verb, as a test starts them: see harness/steps.ts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The arguments of every such process, beside those of its verb. */
export type CrashOrder = {
  readonly databaseUrl: string;
  readonly now: string;
  readonly verb: string;
  /** Killed after this many steps. */
  readonly step: number;
};

/** More than any verb has; a verb that never ends fails the test. */
const MAX_STEPS = 100;
/** Every verb has at least this many steps. */
const KILLED_AT = 2;

/** Runs a verb in a process that dies after some steps. True when it died, false when the verb finished first. */
export function crashAt(
  script: string,
  order: Omit<CrashOrder, 'verb'> & { readonly verb?: string },
): Promise<boolean> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(true);
      else if (code === 0) resolve(false);
      else reject(new Error(`${order.verb ?? script} at ${order.step}: ${said}`));
    });
  });
}

type Everywhere<V> = {
  /** Makes this many victims for the verb. */
  prepare(count: number): Promise<readonly V[]>;
  crash(victim: V, step: number): Promise<boolean>;
  /** For a `crash` that kills no process: this one does, once in each run. */
  kill?(victim: V, step: number): Promise<boolean>;
  readonly atOnce?: number;
};

/**
 * Kills a verb after one step, after two, and so on, each time on another victim and some at a time, until the verb
 * finishes. Returns all victims, also those for which the verb finished.
 */
export async function crashEverywhere<V>({ prepare, crash, kill = crash, atOnce = 1 }: Everywhere<V>): Promise<V[]> {
  const victims: V[] = [];
  while (victims.length < MAX_STEPS) {
    const first = victims.length + 1;
    const batch = await prepare(atOnce);
    victims.push(...batch);
    const end = (victim: V, step: number) => (step === KILLED_AT ? kill(victim, step) : crash(victim, step));
    const died = await Promise.all(batch.map((victim, index) => end(victim, first + index)));
    if (died.every(Boolean)) continue;
    assert.ok(first + died.indexOf(false) > 2, 'the verb has several steps');
    return victims;
  }
  return assert.fail(`the verb does not end within ${MAX_STEPS} steps`);
}
