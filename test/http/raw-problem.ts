// The problem that answers a malformed request.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { Service } from '../harness/service.ts';

type Raw = {
  readonly service: Service;
  /** The log lines of the service. */
  readonly lines: readonly string[];
  readonly bytes: string;
  readonly status: number;
  readonly code: string;
};

export async function assertRawProblem({ service, lines, bytes, status, code }: Raw): Promise<void> {
  const raw = await exchange(service.url, bytes);
  assert.match(raw, new RegExp(`^HTTP/1\\.1 ${status} `));
  const [head = '', body = ''] = raw.split('\r\n\r\n');
  assert.match(head, /content-type: application\/problem\+json/i);
  const problem = JSON.parse(body);
  assert.equal(problem.code, code);
  assert.ok(head.toLowerCase().includes(`x-request-id: ${problem.requestId}`));
  assert.match(head, /x-frame-options: DENY/i);
  assert.ok(
    lines.some(line => line.includes(problem.requestId)),
    'the log has its request id',
  );
}

/** Sends raw bytes and returns the answer until the connection closed. */
function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let received = '';
    socket.on('data', chunk => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}
