// What was started, stopped in the opposite order.

export type Stops = {
  /** To be stopped before everything that was added earlier. */
  add(stop: () => Promise<void>): void;
  /** Once; what is added later is for the next call. */
  run(): Promise<void>;
};

export function collectStops(): Stops {
  const stops: (() => Promise<void>)[] = [];
  return {
    add: stop => void stops.push(stop),
    run: async () => {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
