// A provider: one node, or a service in front of several. Calls made at the same time share a request; a provider that fails is not called
// for a while, so that it does not slow the others down.
import { type Answer, type Call, type Posted, post } from './post.ts';
import { type Read, readQuantity } from './read.ts';

export type ProviderSettings = {
  readonly name: string;
  /** May hold a key: never shown. */
  readonly url: string;
  /** Calls that share a request at most; 1 for a provider that takes no batches. */
  readonly batchSize?: number;
  /** After which a call counts as not answered; 3 when absent. */
  readonly timeoutSeconds?: number;
};

/** A value, a refusal of the node, or no answer. */
export type Reply<T> = { readonly kind: 'value'; readonly value: T } | Exclude<Answer, { readonly kind: 'result' }>;

export type Provider = {
  readonly name: string;
  /** Asks and reads the answer; what cannot be read is silence. Never throws. */
  ask<T>(method: string, params: readonly unknown[], read: Read<T>): Promise<Reply<T>>;
  /** The id of its chain; undefined when it does not answer. */
  chainId(): Promise<bigint | undefined>;
  /** Why it does not answer now; undefined while it does. */
  trouble(): string | undefined;
};

type Options = {
  readonly chainId: number;
  readonly monotonicMs: () => number;
};

const TIMEOUT_SECONDS = 3;
const MAX_REQUESTS = 8;
const BATCH_SIZE = 50;
/** How long a chain id is valid: behind one address there may be another node tomorrow. */
const CHAIN_ID_AGE_MS = 60_000;
/** Failed requests in a row after which a provider is paused, first for this long, then twice as long each time. */
const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

type Waiting = { readonly call: Call; readonly answer: (answer: Answer) => void };

export function openProvider(settings: ProviderSettings, options: Options): Provider {
  const { name, url, timeoutSeconds = TIMEOUT_SECONDS } = settings;
  const { chainId: wanted, monotonicMs } = options;
  let batchSize = settings.batchSize ?? BATCH_SIZE;
  const waiting: Waiting[] = [];
  let requests = 0;
  let isFlushDue = false;
  let failures = 0;
  let pausedUntilMs = 0;
  let trouble: string | undefined;
  let foundChainId: Promise<bigint | undefined> | undefined;
  let chainIdAtMs = 0;
  /** All failures since the start. */
  let breaks = 0;

  function fail(message: string): void {
    trouble = message;
    failures++;
    breaks++;
    // The next answer may come from another node.
    foundChainId = undefined;
    const pauses = failures - FAILURES_BEFORE_PAUSE;
    if (pauses >= 0) pausedUntilMs = monotonicMs() + Math.min(FIRST_PAUSE_MS * 2 ** pauses, MAX_PAUSE_MS);
  }

  /** After a pause one request is let through; only its answer lets others follow. */
  function isPaused(): boolean {
    if (failures < FAILURES_BEFORE_PAUSE) return false;
    return monotonicMs() < pausedUntilMs || requests > 0;
  }

  function send(call: Call): Promise<Answer> {
    if (isPaused()) return Promise.resolve({ kind: 'silence', message: trouble ?? 'is paused after failures' });
    return new Promise(answer => {
      waiting.push({ call, answer });
      if (isFlushDue) return;
      isFlushDue = true;
      // After the remaining calls of this turn of the event loop.
      setImmediate(() => {
        isFlushDue = false;
        flush();
      });
    });
  }

  function flush(): void {
    while (waiting.length > 0 && requests < MAX_REQUESTS) {
      const batch = waiting.splice(0, batchSize);
      requests++;
      void post(
        url,
        batch.map(({ call }) => call),
        timeoutSeconds * 1_000,
      ).then(posted => {
        requests--;
        settle(batch, posted);
        flush();
      });
    }
  }

  function settle(batch: readonly Waiting[], posted: Posted): void {
    if ('answers' in posted) {
      const { answers } = posted;
      const silent = answers.find(answer => answer.kind === 'silence');
      if (silent) fail(silent.message);
      else {
        failures = 0;
        trouble = undefined;
      }
      batch.forEach(({ answer }, index) => {
        answer(answers[index] ?? { kind: 'silence', message: 'not JSON-RPC' });
      });
      return;
    }
    if (posted.isBatchRefused) {
      batchSize = 1;
      waiting.unshift(...batch);
      return;
    }
    fail(posted.message);
    for (const { answer } of batch) answer({ kind: 'silence', message: posted.message });
    // Queued calls would only meet the same failure.
    if (isPaused()) {
      for (const { answer } of waiting.splice(0)) answer({ kind: 'silence', message: posted.message });
    }
  }

  /**
   * Asked before anything else, and again after every failure and every minute: a node of another network would accept our bytes, and show
   * the state of that network.
   */
  function chainId(): Promise<bigint | undefined> {
    if (monotonicMs() - chainIdAtMs >= CHAIN_ID_AGE_MS) foundChainId = undefined;
    if (!foundChainId) chainIdAtMs = monotonicMs();
    foundChainId ??= send({ method: 'eth_chainId', params: [] }).then(answer => {
      const id = answer.kind === 'result' ? readQuantity(answer.result) : undefined;
      if (id === BigInt(wanted)) return id;
      // Asked again with the next call: it may have been corrected.
      foundChainId = undefined;
      if (id !== undefined) fail(`is a node of chain ${id}, not of ${wanted}`);
      return id;
    });
    return foundChainId;
  }

  const isRight = async () => (await chainId()) === BigInt(wanted);
  const wrong = (): Reply<never> => ({ kind: 'silence', message: trouble ?? 'does not say its chain id' });

  return {
    name,
    chainId,
    trouble: () => trouble,
    async ask(method, params, read) {
      if (!(await isRight())) return wrong();
      const before = breaks;
      const answer = await send({ method, params });
      // It failed meanwhile, so what has answered may be another node.
      if (answer.kind !== 'silence' && breaks !== before && !(await isRight())) return wrong();
      if (answer.kind !== 'result') return answer;
      const value = read(answer.result);
      if (value !== undefined) return { kind: 'value', value };
      return { kind: 'silence', message: `answers ${method} in a way that cannot be read` };
    },
  };
}
