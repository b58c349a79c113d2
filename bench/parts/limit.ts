// How near lists come to what the database allows: the statements of the service, sent by the driver alone on as many
// connections.
import { addDriverShare } from '../driver-share.ts';
import { type LoadResult, runLoad } from '../http-load.ts';
import { listRequests, placeQueries } from '../list-queries.ts';
import { requireOrders } from '../orders.ts';
import { recordLoad } from '../recording.ts';
import { openReplay, type Replay } from '../replay.ts';
import { startTrilho } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const MIN_SHARE = 0.6;
const RECORDING_LIMIT_SECONDS = 300;
/** The replay repeats the statements of this many lists. */
const RECORDED_LISTS = 500;

export async function measureLimit(deps: PartDeps): Promise<void> {
  const { server, report, options } = deps;
  const { mode, listConnections: connections, roundSeconds: seconds } = options;
  const { database, caller } = await requireOrders(deps, options.rows[0]!, mode);
  report.progress('recording the statements of lists');
  const recording = await recordLoad(server, database, {
    mode,
    run: async ({ url }) => {
      const request = listRequests(await placeQueries(url, caller), caller);
      const load = { url, connections, request, seconds: RECORDING_LIMIT_SECONDS, requests: RECORDED_LISTS };
      return (await runLoad(load)).count;
    },
  });
  const [recorded] = recording.rounds();
  const service = await startTrilho(server, database, { mode });
  let replay: Replay | undefined;
  const [serviceRounds, driverRounds]: [LoadResult[], LoadResult[]] = [[], []];
  try {
    replay = await openReplay(server.url(database), recording);
    const { url } = service;
    const request = listRequests(await placeQueries(url, caller), caller);
    await runLoad({ url, connections, request, seconds: 1 });
    for (let round = 0; round < options.rounds; round++) {
      serviceRounds.push(await runLoad({ url, connections, request, seconds }));
      driverRounds.push(await replay.run(recorded!.during, recorded!.requests, seconds));
    }
  } finally {
    await Promise.all([service.stop(), replay?.close()]);
  }
  addDriverShare(report, {
    part: 'limit',
    measured: `GET /crypto/transactions, ${connections} connections`,
    service: serviceRounds,
    driver: driverRounds,
    minShare: MIN_SHARE,
  });
}
