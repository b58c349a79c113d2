// Work that is planned for a moment of the PSP's clock, which a test moves. Nothing happens by itself: every reader or writer of the
// state first runs the due work.

export type Agenda = {
  /** `work` gets the moment that it was planned for, which may have passed. It must look whether it still applies. */
  plan(at: Date, work: (at: Date) => void): void;
  /** Runs the due work, in the order of its moments. */
  run(now: Date): void;
};

type Entry = { readonly atMs: number; readonly work: (at: Date) => void };

export function createAgenda(): Agenda {
  /** The latest first, and among equals the one that was planned last. */
  const entries: Entry[] = [];

  return {
    plan: (at, work) => {
      const atMs = at.getTime();
      let [low, high] = [0, entries.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (entries[middle]!.atMs > atMs) low = middle + 1;
        else high = middle;
      }
      entries.splice(low, 0, { atMs, work });
    },
    run: now => {
      const nowMs = now.getTime();
      for (let next = entries.at(-1); next && next.atMs <= nowMs; next = entries.at(-1)) {
        entries.pop();
        next.work(new Date(next.atMs));
      }
    },
  };
}
