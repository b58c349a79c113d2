// What a noun declares before anything runs. Each has one `noun.ts`, listed in `nouns.ts`; its `module.ts` has what runs.
import type { AccessLines } from './accounts/access.ts';
import type { ChargeFollower } from './charges/follower.ts';
import type { JobKind } from './jobs/job.ts';
import type { LedgerCheck } from './ledger/store-check.ts';
import type { Setting } from './lib/settings/setting.ts';
import type { SecretStore } from './storage/sealed-secrets.ts';

export type Noun = {
  /** Who may call its operations and open its pages. One without a line here cannot be added. */
  readonly access?: AccessLines;
  /** The groups of its operations in the reference. */
  readonly tags?: readonly Tag[];
  readonly events?: readonly EventFamily[];
  /** Its entries in the menu of the dashboard. */
  readonly sections?: readonly SectionLink[];
  /** The kinds of its jobs: commands enqueue them too. */
  readonly jobs?: readonly JobKind<object>[];
  /** What it does when charges change, or a bank has sent a notification. */
  readonly followsCharges?: ChargeFollower;
  readonly settings?: NounSettings;
  /** Where the database keeps secrets of it. */
  readonly secrets?: readonly SecretStore[];
  /** What moved by it, beside what the ledger can prove of itself. */
  readonly ledgerChecks?: readonly LedgerCheck[];
};

type Tag = { readonly name: string; readonly description: string };

/** Types of events whose `object` is the same, and the name of its schema. */
type EventFamily = {
  readonly types: readonly string[];
  readonly schema: string;
  /** The page of the dashboard below which each object has one, such as `/dashboard/charges`. */
  readonly page?: string;
  /** An event of each type that `trilho trigger` cannot cause; those of the others are recorded. */
  readonly examples?: Readonly<Record<string, object>>;
};

export type SectionLink = {
  readonly name: string;
  readonly label: string;
  /** It is shown to those who may open it. */
  readonly href: string;
};

/** `of` makes of the values what stands in the Config. */
type NounSettings = {
  readonly table: readonly Setting[];
  of(values: never): object;
};
