// The interface of a test node, the same for Hardhat and anvil.

export type RunningNode = {
  readonly url: string;
  /** Leaves every request unanswered until `resume`. */
  pause(): void;
  resume(): void;
  /** Resolves when the node has stopped or crashed. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
};

export type ChainOptions = {
  readonly chainId: number;
  /** Mines automatically; otherwise only on request. */
  readonly blockSeconds?: number;
  /** 0: any free port. */
  readonly port: number;
  /** Blocks of an epoch; the final block is two epochs behind the head. */
  readonly slotsInEpoch: number;
  /** Keeps the chain across restarts. */
  readonly stateFile?: string;
};

type NodeError = { readonly code: number; readonly message: string; readonly data?: unknown };

export type NodeReply =
  | { readonly result: unknown; readonly error?: undefined }
  | { readonly result?: undefined; readonly error: NodeError };
