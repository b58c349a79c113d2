// The inputs of every part of a run.
import type { DatabaseServer } from '../database-server.ts';
import type { Options } from '../options.ts';
import type { Report } from '../report.ts';

export type PartDeps = { readonly server: DatabaseServer; readonly report: Report; readonly options: Options };

/** Adds its rows to the report, stops the programs it started and drops the databases it created. */
export type Measure = (deps: PartDeps) => Promise<void>;
