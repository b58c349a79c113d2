// A clock that a test moves.
import type { SandboxClock } from '../../src/sandbox/clock/sandbox-clock.ts';

export type TestClock = Pick<SandboxClock, 'now' | 'refresh'> & {
  set(moment: string): void;
  advanceMs(ms: number): void;
};

export function testClock(start: string): TestClock {
  let nowMs = Date.parse(start);
  return {
    now: () => new Date(nowMs),
    refresh: async () => {},
    set: moment => {
      nowMs = Date.parse(moment);
    },
    advanceMs: ms => {
      nowMs += ms;
    },
  };
}
