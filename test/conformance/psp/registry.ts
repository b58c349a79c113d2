// Lets tests in other processes put Prism before their PSPs: `test/harness/test-psp.ts` posts a PSP here and gets the
// addresses of its proxy, and deletes them when its PSP has stopped.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Place } from './place.ts';
import type { Placed, Validator } from './validator.ts';

type Registry = { readonly url: string; close(): Promise<void> };

export async function startRegistry(validator: Validator): Promise<Registry> {
  const places = new Map<string, Placed>();
  const server = http.createServer(async (request, response) => {
    const { method, url = '/' } = request;
    if (method === 'POST') {
      const placed = await validator.before((await json(request)) as Place);
      const path = `/${places.size + 1}`;
      places.set(path, placed);
      const { url: before, tokenUrl } = placed;
      response.writeHead(201, { location: path }).end(JSON.stringify({ url: before, tokenUrl }));
    } else {
      await places.get(url)?.remove();
      response.writeHead(204).end();
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
