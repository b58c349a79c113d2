// npm run conformance:psp -- <folder with Bacen's document>: goes through every endpoint of the simulated PSP, and sends all
// that the rail of the service says, with Prism in between. It leaves with exit code 1 when Prism finds something, and 2 when
// there is no such folder.
import { existsSync, readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { startPsp } from '../../../src/sandbox/psp/start.ts';
import { PATCHES } from './patches.ts';
import { walkRail } from './rail-walk.ts';
import { callsOf } from './script.ts';
import { startValidatingProxy, type Violation } from './validating-proxy.ts';

const folder = process.argv[2];
if (folder === undefined || !existsSync(path.join(folder, 'bacen-pix-api-2.9.0.openapi.yaml'))) {
  console.error('usage: npm run conformance:psp -- <folder with bacen-pix-api-2.9.0.openapi.yaml>');
  process.exit(2);
}

const psp = await startPsp();
const proxy = await startValidatingProxy(psp, folder);
const { certificate, key } = psp.client.certificate;
const agent = new https.Agent({
  keepAlive: true,
  ca: readFileSync(psp.files.ca),
  cert: readFileSync(certificate),
  key: readFileSync(key),
});

type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly text?: string;
};

function send({ method, url, headers = {}, text }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method, agent, headers }, response => {
      let heard = '';
      response.on('data', chunk => {
        heard += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: heard }));
    });
    request.once('error', reject);
    request.end(text);
  });
}

const unexpected: string[] = [];
let found: readonly Violation[] = [];
let calls = 0;
let railCalls = 0;
try {
  const { clientId, clientSecret } = psp.client;
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const token = await send({
    method: 'POST',
    url: proxy.tokenUrl,
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    text: 'grant_type=client_credentials',
  });
  const authorization = `Bearer ${JSON.parse(token.text).access_token}`;
  await callsOf(psp, async (method, place, expected, body) => {
    const { status, text } = await send({
      method,
      url: place.startsWith('/qr/') ? new URL(place, proxy.url).href : proxy.url + place,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { text: JSON.stringify(body) }),
    });
    if (status !== expected) unexpected.push(`${method} ${place}: ${status} instead of ${expected} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  });
  calls = proxy.calls();
  // What Prism found says more than the step of the walk that fails for it.
  await walkRail(psp, proxy).catch(error => unexpected.push(`The rail: ${error.message} ${error.stack}`));
  railCalls = proxy.calls() - calls;
  if (railCalls === 0) unexpected.push('The rail of the service went past Prism.');
  found = proxy.violations();
  // A check that cannot fail proves nothing: this request breaks the document, and Prism must say so.
  await send({
    method: 'PUT',
    url: `${proxy.url}/cob/${'z'.repeat(32)}`,
    headers: { authorization, 'content-type': 'application/json' },
    text: JSON.stringify({ calendario: {}, valor: { original: 37.5 }, chave: 'recebedor@example.com' }),
  });
  if (proxy.violations().length === found.length) unexpected.push('Prism did not name a request that is wrong.');
} finally {
  agent.destroy();
  await Promise.all([proxy.stop(), psp.stop()]);
}

for (const line of unexpected) console.log(line);
for (const { method, path: place, status, location, message } of found) {
  console.log(`${method} ${place} ${status} ${location.join('.')}: ${message}`);
}
console.log(`${PATCHES.length} patches of the document:`);
for (const { why, times } of PATCHES) console.log(`  ${why} (${times})`);
console.log(
  `${calls} calls and ${railCalls} of the rail, ${found.length} violations, ${unexpected.length} unexpected answers.`,
);
process.exitCode = found.length + unexpected.length > 0 ? 1 : 0;
