// A way to the suite's database that can fall silent, as a frozen server does: what was sent arrives when it speaks again.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createDatabase } from './databases.ts';
import type { Over } from './process.ts';

export type MutableWay = {
  readonly url: string;
  /** Past the way. */
  readonly databaseUrl: string;
  fallSilent(): void;
  speakAgain(): void;
};

export async function startMutableWay(t: Over): Promise<MutableWay> {
  const database = await createDatabase();
  const socketFile = path.join(process.env['TEST_SOCKET_DIR']!, '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let isSilent = false;
  const way = createServer(here => {
    const there = connect(socketFile);
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', chunk => to.write(chunk));
      if (isSilent) from.pause();
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    way.close();
    await database.drop();
  });
  const { port } = way.address() as { port: number };
  return {
    url: `postgres://trilho@127.0.0.1:${port}${new URL(database.url).pathname}`,
    databaseUrl: database.url,
    fallSilent: () => {
      isSilent = true;
      for (const socket of sockets) socket.pause();
    },
    speakAgain: () => {
      isSilent = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
