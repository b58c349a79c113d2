// Both operations as a small team would write them: Express, zod and Prisma, count with skip and take.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ChargeRequests } from './charge-requests.ts';
import { withClient } from './database-server.ts';
import { get, post } from './http-load.ts';
import { listTarget, type Query } from './list-queries.ts';
import { COLUMNS, fillOrders } from './orders.ts';
import type { PartDeps } from './parts/part.ts';
import { installPeer, type Peer, peerFolder, totalOfPage } from './peer.ts';
import { startProgram } from './programs.ts';

export async function startPrisma({ server, report, options }: PartDeps, charges: ChargeRequests): Promise<Peer> {
  const folder = peerFolder('prisma');
  await installPeer({ report }, 'prisma');
  const database = `prisma_${options.peerRows}`;
  if (!(await server.has(database))) {
    const draft = `${database}_draft`;
    await server.create(draft);
    await withClient(server.url(draft), async client => {
      await client.query(await readFile(path.join(folder, 'tables.sql'), 'utf8'));
      const filling = { name: 'orders for Prisma', rows: options.peerRows, where: 'where not ended' };
      await fillOrders({ report }, client, filling, [COLUMNS]);
    });
    await server.rename(draft, database);
  }
  const program = await startProgram(server, {
    name: 'prisma',
    command: process.execPath,
    args: ['server.js'],
    cwd: folder,
    env: { DATABASE_URL: server.url(database), NODE_ENV: 'production' },
    url: /listens on (http:\S+)/,
    readyPath: '/readyz',
  });
  return {
    name: 'Express and Prisma',
    program,
    database,
    lists: [{ name: 'with a total', request: query => get(targetWithAccount(query)), totalOf: totalOfPage }],
    nextCharge: () => post('/charges', charges.nextText().text),
    writes: 'a charge and a row for each method, in one transaction',
  };
}

/** It has no keys: the account is a filter. */
function targetWithAccount(query: Query): string {
  const { accountId } = query.filter;
  return listTarget(query) + (accountId === undefined ? '' : `&accountId=${encodeURIComponent(accountId)}`);
}
