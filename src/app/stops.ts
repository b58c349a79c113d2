// Stops what was started, in the opposite order.

export type Stops = {
  /** Adds a stop, to run before all earlier ones. */
  add(stop: () => Promise<void>): void;
  /** Runs each stop once; stops added later run with the next call. */
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
