// One operation of a boleto API.
import type { Handler } from '../core.ts';

export type TitleRoute = {
  readonly method: string;
  /** Of the path below the prefix; its groups are the parameters. */
  readonly path: RegExp;
  readonly scope: string;
  readonly handle: Handler;
};
