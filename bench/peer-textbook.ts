// The textbook: Express, zod and Prisma, count with skip and take.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { chargeText } from './bodies.ts';
import { get, post } from './load.ts';
import type { Needs } from './parts/part.ts';
import { installPeer, type Peer, peerFolder, totalOfPage } from './peer.ts';
import { targetOf } from './queries.ts';
import { run } from './running.ts';
import { COLUMNS, fill } from './seed.ts';
import { withClient } from './stage.ts';

export async function startTextbook({ stage, report, options }: Needs): Promise<Peer> {
  const folder = peerFolder('textbook');
  await installPeer({ report }, 'textbook');
  const database = `textbook_${options.peerRows}`;
  if (!(await stage.has(database))) {
    const draft = `${database}_draft`;
    await stage.create(draft);
    await withClient(stage.url(draft), async client => {
      await client.query(await readFile(path.join(folder, 'tables.sql'), 'utf8'));
      const filling = { what: 'orders for the textbook', rows: options.peerRows, where: 'where not ended' };
      await fill({ report }, client, filling, [COLUMNS]);
    });
    await stage.rename(draft, database);
  }
  const running = await run(stage, {
    name: 'textbook',
    command: process.execPath,
    args: ['server.js'],
    cwd: folder,
    env: { DATABASE_URL: stage.url(database), NODE_ENV: 'production' },
    url: /listens on (http:\S+)/,
    readyAt: '/readyz',
  });
  return {
    name: 'Express and Prisma',
    running,
    database,
    lists: [{ what: 'with a total', request: query => get(targetOf(query)), totalOf: totalOfPage }],
    charge: () => post('/charges', chargeText()),
  };
}
