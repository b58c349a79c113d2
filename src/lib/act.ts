// Who is doing what just now, for the audit log. It goes along beside the calls, so that no function has to pass it on.
import { AsyncLocalStorage } from 'node:async_hooks';

export type Act = {
  /** `key:<id>`, `operator` or `sandbox`. */
  readonly actor: string;
  /** The route's pattern or the command: never an address, which may hold anything. */
  readonly action: string;
  readonly at: Date;
  /** What a success answers: the status of HTTP, or the exit code of a command. */
  readonly status: number;
  readonly requestId?: string;
  /** What is acted on, an id of ours. */
  objectId?: string;
};

const acts = new AsyncLocalStorage<Act | undefined>();

/** Does `work`, and whatever it calls, as part of the act. */
export function acting<T>(act: Act, work: () => T): T {
  return acts.run(act, work);
}

/** Does `work` as nobody's act: what time or a bank brings about is not the doing of whoever happens to wait for it. */
export function apart<T>(work: () => T): T {
  return acts.run(undefined, work);
}

export function currentAct(): Act | undefined {
  return acts.getStore();
}

/** Says what the act is about, where its address does not. Inside a transaction it holds for that transaction. */
export function concerns(objectId: string): void {
  const act = acts.getStore();
  if (act) act.objectId = objectId;
}
