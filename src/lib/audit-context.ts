// The actor and the action of the current request, for the audit log. Kept in AsyncLocalStorage, so that no function has to
// pass it on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { uuidV7 } from './ids.ts';

export type AuditContext = {
  /** `key:<id>`, `person:<id>`, `operator`, `sandbox` or `service`; `visitor` until a person who logs in is known. */
  actor: string;
  /** The route pattern or the command; never the URL, which may contain anything. */
  readonly action: string;
  readonly at: Date;
  /** The result of a success: the HTTP status, or the exit code of a command. */
  readonly status: number;
  readonly requestId?: string;
  /** The id of the object that is changed. */
  objectId?: string;
};

const contexts = new AsyncLocalStorage<AuditContext | undefined>();

/** Runs `work`, and everything it calls, in the context. */
export function withAuditContext<T>(context: AuditContext, work: () => T): T {
  return contexts.run(context, work);
}

/**
 * Runs `work` outside any context: changes caused by a timer or a bank are not attributed to the caller that waits for
 * them.
 */
export function withoutAuditContext<T>(work: () => T): T {
  return contexts.run(undefined, work);
}

export function currentAuditContext(): AuditContext | undefined {
  return contexts.getStore();
}

/** The actor, as in the audit log; undefined outside a request or command. */
export function currentActor(): string | undefined {
  return currentAuditContext()?.actor;
}

/**
 * Sets the object of the current context, if the route does not name it. Inside a transaction it applies to that
 * transaction only.
 */
export function setAuditObject(objectId: string): void {
  const context = contexts.getStore();
  if (context) context.objectId = objectId;
}

/** Sets the actor, once a person who is logging in is known. Inside a transaction it applies to that transaction only. */
export function setAuditActor(actor: string): void {
  const context = contexts.getStore();
  if (context) context.actor = actor;
}

/**
 * The audit line of one request. A batch inserts it, because a batch serves many requests and runs outside their
 * contexts.
 */
export type AuditLine = { readonly id: string; readonly context: AuditContext; readonly objectId: string };

/** The audit line of the current request about an object; undefined outside a request or command. */
export function auditLineAbout(objectId: string): AuditLine | undefined {
  const context = currentAuditContext();
  return context && { id: uuidV7(context.at), context, objectId };
}
