// Faults of one address of the node, chosen by data for calls by the beginning of their path.
import type { Random } from './random.ts';
import type { RefusalCode } from './refusal.ts';

export type NodeFault =
  /** Nothing is done and nothing is answered. */
  (
    | { readonly kind: 'silent' }
    /** Nothing is done and the connection ends. */
    | { readonly kind: 'cut' }
    /** The call is carried out and the connection ends without an answer. */
    | { readonly kind: 'lost_reply' }
    | { readonly kind: 'status'; readonly status: number; readonly text?: string }
    /** The chain is shown as it was this many blocks ago. */
    | { readonly kind: 'lagging'; readonly blocks: number }
    /** A broadcast is answered with this code; nothing is done, and the id is not noted. */
    | { readonly kind: 'refusing'; readonly code: RefusalCode }
    /** A broadcast is answered with SUCCESS and dropped. */
    | { readonly kind: 'dropping' }
    /** Transactions are not shown. */
    | { readonly kind: 'hiding' }
    /** Any transaction that was sent here is shown as carried out. */
    | { readonly kind: 'forging' }
    /** Only this many of the last blocks, and their transactions, are shown. */
    | { readonly kind: 'pruned'; readonly blocks: number }
  ) & {
    /** The beginning of the path, such as `wallet/broadcast`; every call when absent. */
    readonly on?: string;
    /** How often it fires; without it, until it is cleared. */
    readonly count?: number;
    /** How many matching calls pass first. */
    readonly skip?: number;
    /** 0 to 1; without it, always. */
    readonly probability?: number;
  };

type NodeFaults = {
  set(fault: NodeFault): void;
  clear(): void;
  /** All faults that hit this call; they count as fired. */
  onCall(path: string): readonly NodeFault[];
};

export function createNodeFaults(random: Random): NodeFaults {
  let entries: { readonly fault: NodeFault; passed: number; fired: number }[] = [];
  return {
    set: fault => {
      entries.push({ fault, passed: 0, fired: 0 });
    },
    clear: () => {
      entries = [];
    },
    onCall: path => {
      const hit: NodeFault[] = [];
      for (const entry of entries) {
        const { on = '', count = Number.POSITIVE_INFINITY, skip = 0, probability = 1 } = entry.fault;
        if (!path.startsWith(on) || entry.fired >= count || entry.passed++ < skip) continue;
        if (probability < 1 && random.next() >= probability) continue;
        entry.fired++;
        hit.push(entry.fault);
      }
      return hit;
    },
  };
}

export function faultOf<K extends NodeFault['kind']>(
  faults: readonly NodeFault[],
  kind: K,
): Extract<NodeFault, { readonly kind: K }> | undefined {
  return faults.find((fault): fault is Extract<NodeFault, { readonly kind: K }> => fault.kind === kind);
}
