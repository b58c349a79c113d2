// What the database is asked for, one statement or one transaction at a time. A caller can be refused while a statement hangs,
// until something is sent that may take effect: up to then it is certain that nothing has happened.
import pg from 'pg';
import type { AppError } from '../lib/errors.ts';
import type { WorkKind } from '../lib/work-kind.ts';

export type Call = {
  /** Sends a statement and waits for its answer. Throws the refusal, and sends nothing, once the call was refused. */
  ask<T>(send: () => Promise<T>): Promise<T>;
  /** As `ask`, for what may take effect: a commit, or a write outside of a transaction. The call is not refused any more. */
  askToWrite<T>(send: () => Promise<T>): Promise<T>;
  /** Waits for a connection, which is no answer of the server: it may have been open. */
  connect(pool: pg.Pool): Promise<pg.PoolClient>;
  /** Throws the refusal once the call was refused. */
  throwIfRefused(): void;
};

/** A call whose answer has not come. */
export type WaitingCall = {
  readonly kind: WorkKind;
  /** When it began to wait for the statement that is under way, or for a connection. */
  readonly sinceMs: number;
  readonly client: pg.PoolClient | undefined;
};

export type Calls = {
  /**
   * Runs `work`, and returns early when a caller is refused: what hangs goes on until its statement is answered or reaches its
   * limit. `onRefused` is called at that moment.
   */
  run<T>(kind: WorkKind | undefined, work: (call: Call) => Promise<T>, onRefused: () => void): Promise<T>;
  /** Refuses callers, but for those whose work may have taken effect. */
  refuse(error: () => AppError, which?: (call: WaitingCall) => boolean): void;
  /** The callers that wait for an answer. */
  waiting(): WaitingCall[];
  /** Whether callers are being served. */
  hasCallers(): boolean;
  /** The server has answered something, on whichever connection. */
  noteAnswer(): void;
  lastAnswerMs(): number;
};

type OpenCall = {
  readonly kind: WorkKind;
  readonly refuse: (error: AppError) => void;
  unanswered: number;
  sinceMs: number;
  client: pg.PoolClient | undefined;
};

/** `onCaller`: a caller is served who is to be watched. */
export function openCalls(onCaller: () => void): Calls {
  const callers = new Set<OpenCall>();
  let lastAnswerMs = performance.now();

  function noteAnswer(): void {
    lastAnswerMs = performance.now();
  }

  async function answerOf<T>(send: () => Promise<T>): Promise<T> {
    try {
      const answer = await send();
      noteAnswer();
      return answer;
    } catch (error) {
      // A refusal of the server is an answer, too.
      if (error instanceof pg.DatabaseError) noteAnswer();
      throw error;
    }
  }

  /** Work that no caller waits for. */
  const background: Call = {
    ask: answerOf,
    askToWrite: answerOf,
    connect: pool => pool.connect(),
    throwIfRefused: () => {},
  };

  function callOf(open: OpenCall, state: { refusal: AppError | undefined; mayTakeEffect: boolean }): Call {
    function throwIfRefused(): void {
      if (state.refusal) throw state.refusal;
    }

    async function wait<T>(work: () => Promise<T>): Promise<T> {
      throwIfRefused();
      if (open.unanswered++ === 0) open.sinceMs = performance.now();
      try {
        return await work();
      } finally {
        open.unanswered--;
        open.sinceMs = performance.now();
      }
    }

    return {
      throwIfRefused,
      ask: send => wait(() => answerOf(send)),
      askToWrite: send =>
        wait(() => {
          // Nothing comes between this, the check before it and the writing to the socket. It holds also for a transaction that
          // is run again: the first commit may have arrived.
          state.mayTakeEffect = true;
          return answerOf(send);
        }),
      connect: async pool => {
        open.client = undefined;
        const client = await wait(() => pool.connect());
        open.client = client;
        return client;
      },
    };
  }

  return {
    run: async (kind, work, onRefused) => {
      if (kind === undefined || kind.isBackground) return work(background);
      const state: { refusal: AppError | undefined; mayTakeEffect: boolean } = {
        refusal: undefined,
        mayTakeEffect: false,
      };
      const { promise: refused, reject } = Promise.withResolvers<never>();
      const open: OpenCall = {
        kind,
        unanswered: 0,
        sinceMs: performance.now(),
        client: undefined,
        refuse: error => {
          if (state.mayTakeEffect || state.refusal) return;
          state.refusal = error;
          callers.delete(open);
          reject(error);
          onRefused();
        },
      };
      callers.add(open);
      onCaller();
      const done = work(callOf(open, state)).finally(() => callers.delete(open));
      return Promise.race([done, refused]);
    },

    refuse: (error, which) => {
      for (const open of [...callers]) {
        if (which === undefined || (open.unanswered > 0 && which(open))) open.refuse(error());
      }
    },

    waiting: () => [...callers].filter(({ unanswered }) => unanswered > 0),
    hasCallers: () => callers.size > 0,
    noteAnswer,
    lastAnswerMs: () => lastAnswerMs,
  };
}
