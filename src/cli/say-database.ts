// Prints which database a command uses: the working folder decides that, and may be the wrong one.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import { shownUrl } from '../storage/connect.ts';
import { clusterIn, findCluster } from '../storage/embedded/home.ts';
import { refuseUnfinished } from '../storage/embedded/unfinished.ts';

/** Prints on standard error which database a command uses, and refuses when it does not exist. */
export function sayDatabase({ databaseUrl, dataDir }: Config): void {
  const place = databaseUrl === undefined ? findCluster(dataDir) : shownUrl(databaseUrl);
  if (place === undefined) {
    refuseUnfinished(clusterIn(dataDir));
    throw new StartError(
      `There is no database in ${dataDir}, and only trilho serve creates one. Run this in the folder of the service, or set TRILHO_DATA_DIR or DATABASE_URL as the service has them.`,
    );
  }
  console.error(`Database: ${place}`);
}
