// A connection to the database that can be cut at the worst moment: when the server confirms a commit of charges.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';

export type CutWire = {
  readonly url: string;
  /** The reply to the next commit of charges is lost. `forGood`: no connection works any more until `mend`. */
  cutAtCommit(options: { forGood: boolean }): void;
  mend(): void;
  /** How often it was cut. */
  cuts(): number;
  close(): Promise<void>;
};

/** The server's message that no transaction is open any more: ReadyForQuery, idle. */
const ENDED = Buffer.from('Z\0\0\0\x05I');
/** Part of its message when it rolled back. */
const FAILED = 'SERROR\0';
/** The statement that writes charges; a session that has prepared it sends its name only. */
const CHARGES = 'insert_charges';

export async function startCutWire(databaseUrl: string): Promise<CutWire> {
  const socketFile = path.join(process.env['TEST_SOCKET_DIR']!, '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let isArmed = false;
  let isForGood = false;
  let isDead = false;
  let cuts = 0;

  function cut(): void {
    cuts++;
    isArmed = false;
    isDead = isForGood;
    for (const socket of sockets) socket.destroy();
  }

  const wire = createServer(here => {
    if (isDead) return void here.destroy();
    const there = connect(socketFile);
    let holdsCharges = false;
    let lastBytes: Buffer = Buffer.alloc(0);
    for (const socket of [here, there]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        here.destroy();
        there.destroy();
      });
    }
    here.on('data', chunk => {
      const bytes = Buffer.concat([lastBytes, chunk]);
      if (bytes.includes(CHARGES)) holdsCharges = true;
      lastBytes = bytes.subarray(-CHARGES.length);
      there.write(chunk);
    });
    there.on('data', chunk => {
      const isCommit = chunk.includes(ENDED) && !chunk.includes(FAILED);
      if (isCommit && holdsCharges && isArmed) return cut();
      if (isCommit) holdsCharges = false;
      here.write(chunk);
    });
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const { port } = wire.address() as { port: number };
  return {
    url: `postgres://trilho@127.0.0.1:${port}${new URL(databaseUrl).pathname}`,
    cutAtCommit: ({ forGood }) => {
      isArmed = true;
      isForGood = forGood;
    },
    mend: () => {
      isDead = false;
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      wire.close();
      await once(wire, 'close');
    },
  };
}
