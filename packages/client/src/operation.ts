// What a method of the client is made from, and what its caller may pass and gets.
import type { Event } from './generated/types.ts';

export type Operation = {
  readonly method: string;
  /** With `{name}` for each id that the caller passes. */
  readonly path: string;
  readonly body?: 'json' | 'file';
  readonly hasQuery?: true;
  /** Takes an `Idempotency-Key`, so it may be sent again when its answer was lost. */
  readonly takesKey?: true;
  /** The field of a page that has its items. */
  readonly items?: string;
  /** JSON when absent. */
  readonly answer?: 'bytes' | 'events';
};

export type Options = {
  /** Ends the call, also while it waits for its next attempt. */
  readonly signal?: AbortSignal;
  /** For one attempt; that of the client when absent. */
  readonly timeoutMs?: number;
  /** How often it is sent again at most; that of the client when absent. */
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export type KeyedOptions = Options & {
  /** 1 to 255 printable ASCII characters. When absent, the client makes one for each call; all attempts of a call share it. */
  readonly idempotencyKey?: string;
};

export type StreamOptions = Pick<Options, 'signal' | 'headers'> & {
  /** For an answer to begin; that of the client when absent. */
  readonly timeoutMs?: number;
  /** How many connections in a row may fail; without a limit when absent. */
  readonly retries?: number;
};

export type FileBody<ContentType extends string> = {
  readonly contentType: ContentType;
  readonly content: string | Uint8Array<ArrayBuffer> | Blob;
};

/** A page, and with `for await` every item of this page and of the next ones. */
export interface List<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  /** This page and the next ones. */
  pages(): AsyncIterable<Page>;
}

export type StreamedEvent = {
  readonly event: Event;
  /** Where to continue: `after` of the next stream or list. */
  readonly cursor: string;
};
