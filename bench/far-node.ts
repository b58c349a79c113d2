// A distant node: a TCP proxy that delays what is sent to it, and passes on answers at once.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

type FarNode = { readonly url: string; stop(): Promise<void> };

export async function startFarNode(nodeUrl: string, delayMs: number): Promise<FarNode> {
  const { hostname, port } = new URL(nodeUrl);
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const node = connect(Number(port), hostname);
    for (const socket of [client, node]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('error', () => {});
    }
    // Timers of one length fire in the order in which they were set, so bytes keep their order.
    client.on('data', chunk => setTimeout(() => node.write(chunk), delayMs));
    client.on('close', () => node.destroy());
    node.pipe(client);
    node.on('close', () => {
      sockets.delete(client);
      sockets.delete(node);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
