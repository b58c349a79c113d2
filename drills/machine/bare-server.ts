// A server that only answers, in its own process: its times are those of the machine.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_, response) => response.end());
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`listens on http://127.0.0.1:${port}\n`);
});
