// A connection to the suite's database that can freeze, as a frozen server does: what was sent arrives when it thaws.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createDatabase } from './databases.ts';
import type { Over } from './process.ts';

type FreezingWire = {
  readonly url: string;
  /** Around the wire. */
  readonly databaseUrl: string;
  freeze(): void;
  thaw(): void;
};

export async function startFreezingWire(t: Over): Promise<FreezingWire> {
  const database = await createDatabase();
  const socketFile = path.join(process.env['TEST_SOCKET_DIR']!, '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const wire = createServer(here => {
    const there = connect(socketFile);
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', chunk => to.write(chunk));
      if (isFrozen) from.pause();
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    wire.close();
    await database.drop();
  });
  const { port } = wire.address() as { port: number };
  return {
    url: `postgres://trilho@127.0.0.1:${port}${new URL(database.url).pathname}`,
    databaseUrl: database.url,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
