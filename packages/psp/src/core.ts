// Shared by the parts of the PSP: its state, its clock, its contracts, and the calls of its handlers.
import type { Agenda } from './automatic/agenda.ts';
import type { Automatic } from './automatic/rules.ts';
import type { PspClient } from './clients.ts';
import type { Faults } from './faults.ts';
import type { Notice } from './notice.ts';
import type { PixRecord, RefundStatus } from './pix-record.ts';
import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import type { State, Title } from './state.ts';

/** How a refund ends. */
export type RefundRule = {
  readonly status: Exclude<RefundStatus, 'EM_PROCESSAMENTO'>;
  /** 0: the answer of the PUT shows it already. A number: after this time. null: when the test says so. */
  readonly afterMs: number | null;
};

/** The outcome of new boletos at a bank that decides later. */
export type TitleRule = {
  /** For how many lookups it processes one. */
  readonly processing: number;
  /** Why it does not register them. */
  readonly failure?: string | undefined;
  /** For how many lookups it processes a change of one; 1 when absent. */
  readonly editing?: number | undefined;
  /** It does not carry out changes. */
  readonly failsEdits?: boolean | undefined;
  /** How many readers see a boleto as it was before a change; 0 when absent. */
  readonly hidesEdits?: number | undefined;
};

/** The part of the notifier that the API uses. */
type PixNotifier = {
  pixChanged(pix: PixRecord): void;
  /** Posts to a webhook of Pix Automático. */
  announce(url: string, notice: Notice): void;
  /** Calls a URL as Efí does at registration; returns why it is refused, or undefined when it is accepted. */
  probe(url: string): Promise<string | undefined>;
};

export type Core = {
  readonly profile: Profile;
  readonly state: State;
  readonly random: Random;
  readonly faults: Faults;
  readonly notifier: PixNotifier;
  readonly clients: Map<string, PspClient>;
  /** Host and port, as locations have them. */
  readonly host: () => string;
  readonly baseUrl: () => string;
  readonly now: () => Date;
  refundRule: RefundRule;
  titleRule: TitleRule;
  readonly automatic: Automatic;
  readonly agenda: Agenda;
  readonly allowHttpWebhooks: boolean;
  /** A boleto has opened, was paid or has ended. */
  readonly titleChanged: (title: Title) => void;
  /** A received pix, which may pay a boleto. */
  readonly pixPaid: (pix: PixRecord) => void;
  /** Runs work later; the rest is dropped at the stop. */
  readonly later: (ms: number, work: () => void) => void;
};

/** How old a state a GET may show: that of a moment, or the one before the last. */
export type Seen = { readonly atMs: number } | 'previous' | undefined;

export type Call = {
  readonly client: PspClient;
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  readonly seen: Seen;
};

export type Reply = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Handler = (core: Core, call: Call) => Reply | Promise<Reply>;

/** The version that a reader sees, or undefined when it cannot see any yet. */
export function seenVersion<V extends { readonly atMs: number }>(versions: readonly V[], seen: Seen): V | undefined {
  if (seen === undefined) return versions.at(-1);
  if (seen === 'previous') return versions.at(-2) ?? versions.at(-1);
  return versions.findLast(({ atMs }) => atMs <= seen.atMs);
}

/** A stale reader does not see a newer payment. `previous` hides one whose refunds never changed. */
export function isPixSeen(pix: PixRecord, seen: Seen): boolean {
  if (seen === undefined) return true;
  return seen === 'previous' ? pix.refunds.length > 1 : pix.atMs <= seen.atMs;
}

export function seenRefunds(pix: PixRecord, seen: Seen): PixRecord['refunds'][number]['devolucoes'] {
  if (seen === undefined) return pix.refunds.at(-1)!.devolucoes;
  if (seen === 'previous') return (pix.refunds.at(-2) ?? pix.refunds.at(-1)!).devolucoes;
  return pix.refunds.findLast(({ atMs }) => atMs <= seen.atMs)?.devolucoes ?? [];
}
