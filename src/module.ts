// What a noun gives the service: its work in the background, and its faces. Each noun says so in a `module.ts` of its own, which knows
// rooms to the right of the noun and is imported by `app.ts` alone. What it declares without running anything is in its `noun.ts`.
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import type { JobHandler } from './jobs/job.ts';
import type { Sweep } from './jobs/sweep.ts';
import type { Prune } from './storage/pruning.ts';
import type { Site } from './web/assets.ts';
import type { PageDeps } from './web/dashboard/dashboard.ts';

export type Module = {
  readonly jobs?: readonly JobHandler[];
  /** Its timers. */
  readonly sweeps?: readonly Sweep[];
  /** Its removal of old data. */
  readonly prunes?: readonly Prune[];
  readonly background?: readonly Background[];
  /** Those of its schemas that have a name of their own: what the OpenAPI document shows under components. */
  readonly schemas?: readonly TSchema[];
  /** Operations of the API. */
  routes?(app: FastifyInstance): void;
  /** Pages outside the dashboard. */
  pages?(app: FastifyInstance, site: Site): void;
  /** Pages of the dashboard, in its scope. */
  dashboard?(scope: FastifyInstance, pages: PageDeps): void;
};

/** Work that runs in the background from `start` to `stop`. */
type Background = {
  start(): { stop(): Promise<void> };
  /** The same work once: everything due is done when it returns. */
  runDue?(): Promise<number>;
  /** It finds work for jobs, so it is run before them. */
  readonly feedsJobs?: boolean;
};
