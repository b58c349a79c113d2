// A receiver of webhooks that records which charges were reported as paid, and when.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PaidReceiver = {
  readonly url: string;
  /** When a charge was first reported as paid. */
  readonly paidAt: ReadonlyMap<string, number>;
  stop(): void;
};

type Message = { readonly type: string; readonly data: { readonly objectId: string } };

export async function startPaidReceiver(): Promise<PaidReceiver> {
  const paidAt = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    const { type, data }: Message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (type === 'charge.paid' && !paidAt.has(data.objectId)) paidAt.set(data.objectId, performance.now());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    paidAt,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** In a sandbox one webhook gets the events of all accounts. */
export async function registerWebhook(serviceUrl: string, { url }: PaidReceiver): Promise<void> {
  const answer = await fetch(`${serviceUrl}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  if (answer.status !== 201) throw new Error(`POST /webhooks: ${answer.status} ${await answer.text()}`);
}
