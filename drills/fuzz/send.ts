// Sends a case unchanged, and reads the answer.
import { Agent, request } from 'node:http';
import type { Exchange } from '../../test/harness/openapi.ts';
import type { Case } from './make-case.ts';

const ANSWER_TIMEOUT_MS = 60_000;

type Sender = { send(sent: Case): Promise<Exchange>; close(): void };

export function openSender(url: string, atOnce: number): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const send = ({ method, path, headers, body }: Case) =>
    new Promise<Exchange>((resolve, reject) => {
      const length = body && { 'content-length': String(body.length) };
      const outgoing = request(url, { agent, method, path, headers: { ...headers, ...length } }, answer => {
        const contentType = answer.headers['content-type'] ?? '';
        const { statusCode: status = 0 } = answer;
        const chunks: Buffer[] = [];
        const finish = () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ method, path, status, contentType, text, json: jsonOf(contentType, text) });
        };
        // A stream of events has no end: its beginning is the answer.
        if (contentType.startsWith('text/event-stream')) {
          answer.on('error', () => {}).destroy();
          finish();
          return;
        }
        answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', finish)
          .on('error', reject);
      });
      outgoing.setTimeout(ANSWER_TIMEOUT_MS, () => outgoing.destroy(new Error('no answer within a minute')));
      outgoing.on('error', reject).end(body);
    });
  return { send, close: () => agent.destroy() };
}

function jsonOf(contentType: string, text: string): unknown {
  if (!contentType.includes('json') || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** As a command that sends it again. A shell accepts no zero byte, so a body with one is encoded. */
export function curlOf(url: string, { method, path, headers, body }: Case): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const given = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  const curl = `curl -X ${method} ${quoted(url + path)}${given.join('')}`;
  if (!body) return curl;
  if (body.includes(0)) return `echo ${body.toString('base64')} | base64 -d | ${curl} --data-binary @-`;
  return `${curl} --data-binary ${quoted(body.toString())}`;
}
