// Whether the memory of the service stays flat over many requests.
import { createCallers } from '../callers.ts';
import { chargeRequests } from '../charge-requests.ts';
import { formatMegabytes, formatRatio } from '../figures.ts';
import { runLoad } from '../http-load.ts';
import { listRequests, placeQueries } from '../list-queries.ts';
import { requireOrders } from '../orders.ts';
import { residentBytes, startTrilho } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const MAX_GROWTH = 1.2;
/** On a slow machine memory is read after fewer requests; the row says how many. */
const LOAD_LIMIT_SECONDS = 360;
const CHARGE_EVERY = 10;
const DATABASE = 'memory';

export async function measureMemory(deps: PartDeps): Promise<void> {
  const { server, report, options } = deps;
  const { mode, listConnections: connections } = options;
  const [early, late] = options.memoryAfter;
  const orders = await requireOrders(deps, options.rows[0]!, mode);
  report.progress(`memory over ${late} requests`);
  await server.create(DATABASE, orders.database);
  const callers = await createCallers(server.url(DATABASE), mode);
  const charges = chargeRequests(mode, callers);
  const service = await startTrilho(server, DATABASE, { mode });
  try {
    const { url } = service;
    const list = listRequests(await placeQueries(url, orders.caller), orders.caller);
    const request = (index: number) => (index % CHARGE_EVERY === 0 ? charges.nextRequest() : list(index));
    const drive = (requests: number) => runLoad({ url, connections, request, seconds: LOAD_LIMIT_SECONDS, requests });
    const first = (await drive(early)).count;
    const before = await residentBytes(service, callers[0]);
    const second = first + (await drive(late - early)).count;
    const after = await residentBytes(service, callers[0]);
    report.add({
      part: 'memory',
      measured: `resident memory after ${second} requests, one in ${CHARGE_EVERY} a charge, the rest lists`,
      result: formatMegabytes(after),
      comparedWith: `${formatMegabytes(before)} after ${first}`,
      ratio: formatRatio(after / before),
      goal: { text: `≤ ${MAX_GROWTH} ×`, isMet: after / before <= MAX_GROWTH },
    });
  } finally {
    await service.stop();
  }
  await server.drop(DATABASE);
}
