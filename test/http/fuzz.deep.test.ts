// Both operations under twenty thousand random requests. A case depends only on the seed and its number, so FUZZ_SEED and the
// number of a failure repeat it.
import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { NETWORKS_OF, SYMBOLS } from '../../src/chains/asset.ts';
import { STATUSES } from '../../src/orders/order.ts';
import { type Case, chargeCase, listCase } from '../harness/fuzz-cases.ts';
import { type Judge, readOpenApi } from '../harness/openapi.ts';
import { randomOf } from '../harness/random.ts';
import { type Service, startService } from '../harness/service.ts';
import { seed as seedTransactions, transaction } from '../harness/transactions.ts';

/** Fixed, so that the suite is deterministic; FUZZ_SEED sets another one. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_116);
const CASES = 21_000;
const IN_FLIGHT = 32;
const MAX_FAILURES = 5;
const SHOWN_LENGTH = 400;

type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer.
  readonly json: any;
};

let service: Service;
let judge: Judge;
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

before(async () => {
  service = await startService();
  judge = await readOpenApi(service);
  const random = randomOf(20_261_116, 0);
  const rows = Array.from({ length: 250 }, () => {
    const symbol = random.pick(SYMBOLS);
    return transaction({
      symbol,
      network: random.pick(NETWORKS_OF[symbol]),
      status: random.pick(STATUSES),
      quantity: random.pick(['0.000000000000000001', '123456789012345678.123456789', '1', '100.50']),
      createdAt: new Date(Date.UTC(2024, random.below(36), 1 + random.below(28), random.below(24))),
    });
  });
  await seedTransactions(service, rows);
});
after(async () => {
  agent.destroy();
  await service.stop();
});

test(`no random request gets a 5xx or an answer that the document does not describe (FUZZ_SEED=${SEED})`, async () => {
  assert(Number.isSafeInteger(SEED), 'FUZZ_SEED is a whole number');
  console.log(`FUZZ_SEED=${SEED}`);
  const tally = new Map<string, number>();
  const failures: string[] = [];
  let next = 0;
  const worker = async () => {
    while (next < CASES && failures.length < MAX_FAILURES) {
      const index = next++;
      const sent = caseOf(index);
      const reply = await exchange(sent).catch((error: Error) => error);
      const complaint =
        reply instanceof Error ? `no answer: ${reply.message}` : await complaintAbout(sent, reply, index);
      if (complaint !== undefined) failures.push(describe(index, sent, reply, complaint));
      if (!(reply instanceof Error)) count(tally, `${sent.kind} ${reply.status}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  console.log([...tally].sort().join('  ').replaceAll(',', ': '));
  assert.equal(failures.length, 0, `FUZZ_SEED=${SEED}\n${failures.join('\n\n')}`);

  const answered = (name: string) => tally.get(name) ?? 0;
  const least = {
    'list 200': 4_000,
    'list 400': 4_000,
    'list 404': 100,
    'list 405': 300,
    'charge 201': 3_000,
    'charge 400': 2_500,
    'charge 405': 80,
    'charge 409': 60,
    'charge 413': 50,
    'charge 415': 200,
    'charge 422': 200,
  };
  for (const [name, floor] of Object.entries(least)) {
    assert(answered(name) >= floor, `${name}: ${answered(name)} < ${floor} (FUZZ_SEED=${SEED})`);
  }
  assert.equal(
    [...tally.values()].reduce((sum, number) => sum + number, 0),
    CASES,
  );
});

test('every charge of the fuzz that was acknowledged was written once, and every conflict named one of them', async () => {
  const [row] = await service.sql<{ count: string }>('select count(*) from charges');
  assert.equal(Number(row!.count), acknowledged.size);
  assert.deepEqual(
    [...inTheWay].filter(id => !acknowledged.has(id)),
    [],
  );
});

test('an invalid HTTP message is answered with a problem like any other', async () => {
  const requests: Record<string, [string, number]> = {
    'no Host': ['GET /crypto/transactions HTTP/1.1\r\n\r\n', 400],
    'not HTTP': ['hello\r\n\r\n', 400],
    'an unknown method': ['FOO /charges HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    'a blank in the address': ['GET /crypto/transactions?a b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    'two lengths': ['POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}', 400],
    'a wrong length': ['POST /charges HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    'a header without a name': ['GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n', 400],
    'too many headers': [`GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    'a bad chunk': [
      'POST /charges HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    'an unknown version': ['GET / HTTP/3.7\r\nHost: x\r\n\r\n', 400],
  };
  for (const [name, [bytes, status]] of Object.entries(requests)) {
    const answer = await overSocket(bytes);
    assert.match(answer.head, new RegExp(`^HTTP/1.1 ${status} `), name);
    assert.match(answer.head, /^content-type: application\/problem\+json/im, name);
    const requestId = /^x-request-id: (\S+)$/im.exec(answer.head)?.[1];
    const problem = JSON.parse(answer.body);
    assert.equal(judge.faultOf(['components', 'schemas', 'Problem'], problem), undefined, name);
    assert.deepEqual([problem.status, problem.requestId], [status, requestId], name);
  }
});

test('an unknown expectation is ignored', async () => {
  const answer = await overSocket('GET /livez HTTP/1.1\r\nHost: x\r\nExpect: the-spanish-inquisition\r\n\r\n');
  assert.match(answer.head, /^HTTP\/1.1 200 /);
});

/** The ids that an answer of 201 has named. */
const acknowledged = new Set<string>();
/** Those that a conflict has named. */
const inTheWay = new Set<string>();

function caseOf(index: number): Case {
  const random = randomOf(SEED, index);
  // Four lists to three charges: 12,000 and 9,000.
  return index % 7 < 4 ? listCase(random) : chargeCase(random, SEED);
}

function exchange({ method, path, headers, body }: Pick<Case, 'method' | 'path' | 'headers' | 'body'>): Promise<Reply> {
  const { hostname, port } = new URL(service.url);
  const length: Record<string, string> = body ? { 'content-length': String(body.length) } : {};
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', chunk => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = /json/.test(incoming.headers['content-type'] ?? '') && text !== '';
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            json: isJson ? JSON.parse(text) : undefined,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The fault of an answer; undefined without a fault. */
async function complaintAbout(sent: Case, reply: Reply, index: number): Promise<string | undefined> {
  const { status, headers } = reply;
  if (status >= 500) return 'a 5xx';
  if (!headers['x-request-id']) return 'no X-Request-Id';
  if (!sent.expected.includes(status)) return `expected ${sent.expected.join(' or ')}`;
  const fault = undocumented(sent, reply);
  if (fault) return fault;
  if (status >= 300) return complaintAboutProblem(sent, reply);
  if (!/^application\/json; charset=utf-8$/.test(headers['content-type'] ?? '')) return 'not application/json';
  if (sent.method === 'HEAD') return reply.text === '' ? undefined : 'a body for HEAD';
  return sent.kind === 'list' ? complaintAboutPage(sent, reply) : complaintAboutCharge(sent, reply, index);
}

const LEAK = /node_modules|\.ts:\d|\binsert into\b|\bselect .* from\b|duplicate key|violates|syntax error at/i;

function complaintAboutProblem(sent: Case, { status, headers, text, json }: Reply): string | undefined {
  if (!headers['content-type']?.startsWith('application/problem+json')) return 'not application/problem+json';
  if (sent.method === 'HEAD') return text === '' ? undefined : 'a body for HEAD';
  if (json.status !== status || json.requestId !== headers['x-request-id']) return 'describes another answer';
  if (LEAK.test(text)) return 'reveals internals';
  if (!isWellFormed(json)) return 'half of a surrogate pair, which strict readers of JSON refuse';
  if (status === 405 && !headers.allow) return 'no Allow';
  if (status === 409) {
    if (json.chargeId === undefined) return 'no chargeId';
    inTheWay.add(json.chargeId);
  }
  const paths: string[] = (json.errors ?? []).map(({ path }: { path: string }) => path);
  const { fault: expected } = sent;
  if (
    expected !== undefined &&
    !paths.some(path => path === expected || path.startsWith(`${expected}.`) || path.startsWith(`${expected}[`))
  ) {
    return `no error names ${expected}`;
  }
  if (json.code === 'invalid_request' && paths.length === 0) return 'names no fault';
  return undefined;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

function complaintAboutPage({ page = 1, pageSize = 20 }: Case, { json }: Reply): string | undefined {
  const { transactions, total, totalPages, currentPage, hasMore } = json;
  if (currentPage !== page) return `currentPage is not ${page}`;
  if (totalPages !== Math.ceil(total / pageSize)) return 'totalPages is wrong';
  if (hasMore !== page < totalPages) return 'hasMore is wrong';
  const left = Math.max(0, total - (page - 1) * pageSize);
  if (transactions.length !== Math.min(left, pageSize)) return 'the number of rows does not match the totals';
  return undefined;
}

async function complaintAboutCharge(sent: Case, { json, headers }: Reply, index: number): Promise<string | undefined> {
  acknowledged.add(json.id);
  if (headers.location !== `/charges/${json.id}`) return 'a wrong Location';
  const results = Object.keys(json).filter(key => key !== 'id');
  if (results.toSorted().join() !== sent.methods?.join()) return `results for ${results}, not ${sent.methods}`;
  for (const name of results) {
    const { success, status, reason, emv } = json[name];
    if (status !== (success ? 'CREATING' : 'FAILED')) return `${name} is ${status}`;
    if (success === (reason !== undefined)) return `a reason belongs to a failure, and only there`;
    if (name === 'pix' && success !== emv.startsWith('000201')) return 'emv is not a BR Code';
  }
  // An accepted charge must also be readable.
  if (index % 8 !== 0) return undefined;
  const reading = { method: 'GET', path: `/charges/${json.id}`, headers: {} };
  const read = await exchange(reading);
  return read.status === 200 ? undocumented(reading, read) : `reading it back answers ${read.status}`;
}

/** How an answer differs from the document; undefined when it matches. */
function undocumented(
  { method, path }: Pick<Case, 'method' | 'path'>,
  { headers, ...reply }: Reply,
): string | undefined {
  return judge.faultOfAnswer({ method, path, contentType: headers['content-type'] ?? '', ...reply });
}

function describe(index: number, sent: Case, reply: Reply | Error, complaint: string): string {
  const { method, path, headers, body } = sent;
  const shown = (text: string) =>
    text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}… (${text.length})` : text;
  return [
    `case ${index}: ${complaint}`,
    `  ${method} ${shown(path)} ${shown(JSON.stringify(headers))}`,
    ...(body ? [`  ${shown(body.toString())}`] : []),
    ...(reply instanceof Error ? [] : [`  → ${reply.status} ${shown(reply.text)}`]),
  ].join('\n');
}

function count(tally: Map<string, number>, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}

/** Sends raw bytes, and reads one answer. */
function overSocket(bytes: string): Promise<{ head: string; body: string }> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
      const [head = '', body = ''] = received.split(/\r\n\r\n(.*)/s);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
      if (!(Buffer.byteLength(body) < length) && received.includes('\r\n\r\n')) {
        socket.destroy();
        resolve({ head, body });
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(received)}`)));
  });
}
