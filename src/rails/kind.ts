// What a kind of rail exports: the schema of its entries in the settings, how a rail is opened from one, its abilities, and the checks of
// the doctor. Each kind has a folder; kinds.ts lists them.
import type { TSchema } from 'typebox';
import type { Check } from './bank-client/check.ts';
import type { BankEnvironment, ClientDeps, SettingFault } from './bank-client/settings.ts';
import type { WebhookAdmin } from './bank-client/webhook.ts';
import type { Method } from './methods/methods.ts';
import type { Rail } from './rail.ts';

/** What every entry of a rail has. */
export type RailEntry = {
  readonly name: string;
  /** In the section `rails`: names the bank, and by that the kind. */
  readonly profile?: string;
  /** Whose charges it gets; absent: those of every account without a rail of its own. */
  readonly accounts?: readonly string[];
  /** It gets no new charges. */
  readonly former?: true;
};

/**
 * The section of its entries. In `rails` their `profile` gives the kind; `boletos` has agreements; the static key is a setting of its own.
 */
export const RAIL_SECTIONS = ['rails', 'boletos', 'pixKey'] as const;
export type RailSection = (typeof RAIL_SECTIONS)[number];

/** An opened rail. Nothing has been sent yet. */
export type OpenedRail = {
  readonly rail: Rail;
  /** Where its bank sends notifications; absent where it sends none. */
  readonly webhook?: WebhookAdmin;
  /** Closes idle connections. */
  stop?(): void;
};

export type DiagnoseOptions = {
  /** Registers a charge of one cent and removes it: the only way to learn whether a key can be charged with. */
  readonly triesCharge?: boolean;
  /** The address that the bank should send notifications to. */
  readonly webhookUrl?: string;
};

/** The part of an entry about the bank's API. */
export type BankEntry = {
  readonly profile: string;
  readonly environment: BankEnvironment;
  readonly caFile?: string;
  readonly webhook?: {
    readonly url: string;
    readonly skipMtls?: boolean;
    readonly clientCaFile?: string;
    readonly clientName?: string;
  };
};

/** A bank that is called by its API. */
export type CalledBank = {
  /** The field of an entry that holds the fields of the client; absent: the entry itself. */
  readonly field?: string;
  of(entry: RailEntry): BankEntry;
  /** Whether its notifications have a path of their own. */
  isHeard(entry: RailEntry): boolean;
  /** The fields that may be wrong when the bank refuses the webhook. */
  readonly webhookFields: readonly string[];
  /** Every check in order; checks that depend on a failed one are skipped. Never throws for a failure of the bank. */
  diagnose(entry: RailEntry, deps: ClientDeps, options: DiagnoseOptions): Promise<readonly Check[]>;
};

/**
 * A kind of rail. Its functions get entries that `takes` has accepted and the schema has checked.
 *
 * @example
 * export const acme: RailKind = { name: 'acme', method: 'pix', section: 'rails', profiles: ['acme'], entry, takes, can, describe, open };
 */
export type RailKind = {
  readonly name: string;
  readonly method: Method;
  readonly section: RailSection;
  /** In the section `rails`: the profiles of this kind. */
  readonly profiles?: readonly string[];
  /** In the section `rails`: the schema of an entry. */
  readonly entry?: TSchema;
  /** Brings an entry into the canonical form that the rail uses. */
  normal?(entry: RailEntry): RailEntry;
  /** Whether an entry of its section is of this kind. */
  takes(entry: RailEntry): boolean;
  /** The abilities of its rails. */
  readonly can: Rail['can'];
  /** Its bank takes instructions in files. */
  readonly isByFile?: true;
  readonly bank?: CalledBank;
  /** A short label of one entry: `efi (production)`. */
  describe(entry: RailEntry): string;
  /** Reads the files that the entry names; each fault names the field of the entry. */
  open(entry: RailEntry, deps: ClientDeps): OpenedRail | { readonly faults: readonly SettingFault[] };
};
