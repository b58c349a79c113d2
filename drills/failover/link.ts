// A connection that can be cut: it forwards its port to another, until it drops everything.
import { connect, createServer, type Socket } from 'node:net';

export type Link = {
  readonly port: number;
  cut(): void;
  mend(): void;
  stop(): void;
};

export async function openLink(to: number): Promise<Link> {
  const open = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    return socket;
  };
  const server = createServer(incoming => {
    keep(incoming);
    if (isCut) return void incoming.destroy();
    const outgoing = keep(connect(to, '127.0.0.1'));
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const drop = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port,
    cut: () => {
      isCut = true;
      drop();
    },
    mend: () => {
      isCut = false;
    },
    stop: () => {
      server.close();
      drop();
    },
  };
}
