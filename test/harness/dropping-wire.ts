// A connection to the database that drops the startup parameters of a session, as a pooler does that is set to ignore them.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';

const KEPT = new Set(['user', 'database', 'client_encoding']);
const PROTOCOL_3 = 196_608;

type DroppingWire = { readonly url: string; close(): Promise<void> };

export async function startDroppingWire(databaseUrl: string): Promise<DroppingWire> {
  const socketFile = path.join(process.env['TEST_SOCKET_DIR']!, '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  const wire = createServer(here => {
    const there = connect(socketFile);
    for (const socket of [here, there]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          here.destroy();
          there.destroy();
        });
    }
    here.once('data', first => {
      there.write(withoutSettings(first));
      here.pipe(there);
    });
    there.pipe(here);
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const { port } = wire.address() as AddressInfo;
  const { pathname, searchParams } = new URL(databaseUrl);
  return {
    url: `postgres://${searchParams.get('user')}@127.0.0.1:${port}${pathname}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      wire.close();
      await once(wire, 'close');
    },
  };
}

/** The first message of a session: its length, the version of the protocol, then names and values. */
function withoutSettings(message: Buffer): Buffer {
  const texts = message.subarray(8).toString().split('\0');
  const kept: string[] = [];
  for (let at = 0; at + 1 < texts.length && texts[at] !== ''; at += 2) {
    if (KEPT.has(texts[at]!)) kept.push(texts[at]!, texts[at + 1]!);
  }
  const body = Buffer.from(`${kept.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}
