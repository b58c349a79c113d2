// Sends the script of every endpoint as a plain client would, and returns the answers that have another status than the
// script expects.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { Psp } from '@trilho/psp';
import { callsOf } from './script.ts';

type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly text?: string;
};

export async function runScript(psp: Psp): Promise<string[]> {
  const agent = agentOf(psp);
  const unexpected: string[] = [];
  let authorization = await authorize(psp, agent);
  await callsOf(psp, async (method, place, expected, body) => {
    const call = () =>
      send(agent, {
        method,
        url: place.startsWith('/qr/') ? new URL(place, psp.url).href : psp.url + place,
        headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { text: JSON.stringify(body) }),
      });
    let { status, text } = await call();
    if (status === 401) {
      // The script moved the clock past the end of the token.
      authorization = await authorize(psp, agent);
      ({ status, text } = await call());
    }
    if (status !== expected) unexpected.push(`${method} ${place}: ${status} instead of ${expected} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : text;
  });
  agent.destroy();
  return unexpected;
}

/** A request that breaks the document: an amount that is a number. */
export async function sendWrongRequest(psp: Psp): Promise<void> {
  const agent = agentOf(psp);
  await send(agent, {
    method: 'PUT',
    url: `${psp.url}/cob/${'z'.repeat(32)}`,
    headers: { authorization: await authorize(psp, agent), 'content-type': 'application/json' },
    text: JSON.stringify({ calendario: {}, valor: { original: 37.5 }, chave: 'recebedor@example.com' }),
  });
  agent.destroy();
}

function agentOf({ files, client }: Psp): https.Agent {
  const { certificate, key } = client.certificate;
  const [ca, cert, keyText] = [files.ca, certificate, key].map(file => readFileSync(file));
  return new https.Agent({ keepAlive: true, ca, cert, key: keyText });
}

async function authorize({ tokenUrl, client }: Psp, agent: https.Agent): Promise<string> {
  const basic = Buffer.from(`${client.clientId}:${client.clientSecret}`).toString('base64');
  const { text } = await send(agent, {
    method: 'POST',
    url: tokenUrl,
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    text: 'grant_type=client_credentials',
  });
  return `Bearer ${JSON.parse(text).access_token}`;
}

function send(
  agent: https.Agent,
  { method, url, headers = {}, text }: Sent,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = https.request(url, { method, agent, headers }, response => {
      let received = '';
      response.on('data', chunk => {
        received += chunk;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: received }));
    });
    request.once('error', reject);
    request.end(text);
  });
}
