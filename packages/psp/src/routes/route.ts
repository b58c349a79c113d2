// One operation of the API.
import type { Handler } from '../core.ts';
import type { Operation } from '../profiles.ts';

export type Route = {
  readonly operation: Operation;
  readonly scope: string;
  readonly handle: Handler;
  /** A POST that has no body; one that comes is not read. */
  readonly isWithoutBody?: true;
};
