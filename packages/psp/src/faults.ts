// Faults that a test switches on: which call or notification each of them hits, by count, by chance, or until it is cleared.
import type { Random } from './random.ts';

/** On API and token calls. */
const CALL_FAULTS = [
  'lost-reply',
  'timeout-before',
  'timeout-after',
  'cut',
  'status',
  'html',
  'slow',
  'expired-token',
  'stale-read',
  'narrow-token',
  'wrong-code',
  'wrong-state',
] as const;
/** On notifications. */
const NOTIFICATION_FAULTS = ['notify-drop', 'notify-duplicate', 'notify-reorder', 'notify-forge'] as const;
export const FAULT_KINDS = [...CALL_FAULTS, ...NOTIFICATION_FAULTS];

type CallFault = (typeof CALL_FAULTS)[number];
type NotificationFault = (typeof NOTIFICATION_FAULTS)[number];

export type Fault = {
  readonly kind: CallFault | NotificationFault;
  /** Which calls: a method, and what the path below the base begins with; `token` is the token endpoint. */
  readonly on?: { readonly method?: string; readonly path?: string };
  /** How often it fires; without it, until it is cleared. */
  readonly count?: number;
  /** How many matching calls pass first. */
  readonly skip?: number;
  /** 0 to 1; without it, always. */
  readonly probability?: number;
  /** Of `status` (500 when absent) and `html` (502). */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** Of `slow` and `stale-read`. */
  readonly delayMs?: number;
  /** What a narrowed token still has. */
  readonly scopes?: readonly string[];
  /** Of `wrong-code`: the text instead of the BR Code. */
  readonly code?: string;
  /** Of `wrong-state`: the text instead of the status. */
  readonly state?: string;
};

export type ActiveFault = Fault & { readonly id: string; readonly fired: number };

export type Faults = {
  set(fault: Fault): string;
  clear(id?: string): void;
  list(): readonly ActiveFault[];
  /** The first fault that hits this call, which counts as fired. */
  onCall(method: string, path: string): Fault | undefined;
  onNotification(): Fault | undefined;
};

type Entry = { readonly id: string; readonly fault: Fault; passed: number; fired: number };

/** The token endpoint has another path in each profile; a fault names it so. */
export const TOKEN_PATH = 'token';

export function createFaults(random: Random): Faults {
  let entries: Entry[] = [];
  let made = 0;

  const fires = (entry: Entry): boolean => {
    const { count, skip = 0, probability = 1 } = entry.fault;
    if (count !== undefined && entry.fired >= count) return false;
    if (entry.passed < skip) {
      entry.passed++;
      return false;
    }
    if (probability < 1 && random.next() >= probability) return false;
    entry.fired++;
    return true;
  };

  return {
    set: fault => {
      const id = String(++made);
      entries.push({ id, fault, passed: 0, fired: 0 });
      return id;
    },
    clear: id => {
      entries = id === undefined ? [] : entries.filter(entry => entry.id !== id);
    },
    list: () => entries.map(({ id, fault, fired }) => ({ ...fault, id, fired })),
    onCall: (method, path) => {
      if (entries.length === 0) return undefined;
      return entries.find(entry => hits(entry.fault, method, path) && fires(entry))?.fault;
    },
    onNotification: () => entries.find(entry => isOfNotifications(entry.fault) && fires(entry))?.fault,
  };
}

function isOfNotifications({ kind }: Fault): boolean {
  return (NOTIFICATION_FAULTS as readonly string[]).includes(kind);
}

function hits({ kind, on }: Fault, method: string, path: string): boolean {
  if ((NOTIFICATION_FAULTS as readonly string[]).includes(kind)) return false;
  const isToken = path === TOKEN_PATH;
  // A token is requested before most calls: a fault applies to it only when it names it.
  if (kind === 'narrow-token') return isToken;
  if (isToken && on?.path !== TOKEN_PATH) return false;
  if (kind === 'stale-read' && method !== 'GET') return false;
  return (on?.method === undefined || on.method === method) && (on?.path === undefined || path.startsWith(on.path));
}
