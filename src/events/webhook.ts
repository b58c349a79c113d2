// A webhook: an address that receives events, and the rules for retries.

export type Webhook = {
  readonly id: string;
  /** Absent: events of every account. */
  readonly accountId?: string;
  readonly url: string;
  /** Absent: every type. */
  readonly types?: readonly string[];
  readonly enabled: boolean;
  readonly disabledReason?: DisabledReason;
  readonly failingSince?: Date;
  readonly lastError?: string;
  readonly lastErrorAt?: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Why the service disabled it. `gone`: it answered 410. */
export const DISABLED_REASONS = ['gone'] as const;
type DisabledReason = (typeof DISABLED_REASONS)[number];

export const HEALTHS = ['ok', 'failing', 'disabled'] as const;
type Health = (typeof HEALTHS)[number];

export function healthOf({ enabled, failingSince }: Webhook): Health {
  if (!enabled) return 'disabled';
  return failingSince ? 'failing' : 'ok';
}

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Any 2xx within this time counts. */
export const ANSWER_TIMEOUT_MS = 15_000;
/** For how long both secrets sign after a rotation. */
export const BOTH_SECRETS_MS = 86_400_000;
/** A failing webhook gets one event at a time; `webhookConcurrency` sets how many a healthy one gets at once. */
export const CONCURRENCY_WHEN_FAILING = 1;
export const MAX_WEBHOOKS = 1_000;

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000] as const;

/** How long to wait after the first failure, the second, and so on; jitter only lengthens it. */
export const RETRY_GAPS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  1 * HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  16 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
const LONGEST_STRETCH = 0.2;

/** When to try again after this many attempts; undefined when it is given up. `chance` lies between 0 and 1. */
export function nextTryAt(attempts: number, now: Date, chance: number): Date | undefined {
  const gapMs = RETRY_GAPS_MS[attempts - 1];
  if (gapMs === undefined) return undefined;
  return new Date(now.getTime() + Math.round(gapMs * (1 + chance * LONGEST_STRETCH)));
}
