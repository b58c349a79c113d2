// What every part of a run is given.
import type { Options } from '../options.ts';
import type { Report } from '../report.ts';
import type { Stage } from '../stage.ts';

export type Needs = { readonly stage: Stage; readonly report: Report; readonly options: Options };

/** Adds its lines to the report and ends whatever it started. */
export type Measure = (needs: Needs) => Promise<void>;
