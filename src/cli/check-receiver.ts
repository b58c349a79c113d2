// Calls the receiver at its public address as a PSP would, with requests that change nothing: the answers show whether the
// address leads to this service and the path belongs to the rail.
import { randomBytes } from 'node:crypto';
import { type RequestOptions, request } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Config } from '../config/config.ts';
import { readReceiverCertificate } from '../http/certificates.ts';
import { systemClock } from '../lib/clock.ts';
import { type Check, checkValidity } from '../rails/bank-client/check.ts';
import { webhookAddress } from '../rails/bank-client/webhook.ts';

const NAME = 'receiver';
const TIMEOUT_MS = 5_000;
/** What a proxy answers to a caller without a client certificate. */
const WANTS_CERTIFICATE = [400, 403, 495, 496];

type Asked = { readonly status: number } | { readonly code: string };

/** How long the receiver's own certificate lasts; a proxy has its own, which only it knows. */
export function checkReceiverCertificate({ receiver }: Config): Check[] {
  if (receiver?.certificateFile === undefined) return [];
  const certificate = readReceiverCertificate(receiver);
  const renew = 'Get another from its authority and replace receiver.certificateFile; no restart is needed.';
  if (!certificate) {
    const detail = 'receiver.certificateFile holds no certificate that can be read.';
    return [{ name: 'certificate', ok: false, detail, mend: renew }];
  }
  return [checkValidity(certificate, systemClock.now(), renew)];
}

/** `ca`: authorities that the PSP trusts beside the public ones, as PEM. */
export async function checkReceiver(url: string, pathToken: string, ca?: string): Promise<Check> {
  const options = { ca: [...rootCertificates, ...(ca === undefined ? [] : [ca])] };
  const [ours, unknown] = await Promise.all(
    [pathToken, randomBytes(24).toString('base64url')].map(token => ask(webhookAddress(url, token), options)),
  );
  return judge(ours!, unknown!);
}

function judge(ours: Asked, unknown: Asked): Check {
  if ('code' in ours) return unreachable(ours.code);
  const statuses = [ours.status, 'status' in unknown ? unknown.status : 0];
  if (statuses[0] === 405 && statuses[1] === 404) return good('It answers at webhook.url and knows the path.');
  if (statuses.every(status => WANTS_CERTIFICATE.includes(status))) {
    return unsure('Something answers at webhook.url and wants a client certificate; from here no more can be tested.');
  }
  if (statuses.every(status => status === 404)) {
    const mend = 'Remove the path from webhook.url, unless a proxy strips it, and check that it leads to this service.';
    return bad('It answers at webhook.url, but does not know the path of the rail.', mend);
  }
  const detail = `What answers at webhook.url is not the receiver: it answered ${statuses.join(' and ')}.`;
  return bad(detail, 'Point webhook.url at the port of the receiver.');
}

/** Not every network leads back to its own public address, so silence proves nothing. */
function unreachable(code: string): Check {
  if (code === 'TIMEOUT') return unsure('webhook.url does not answer from here.');
  if (code.startsWith('ERR_SSL_')) {
    return unsure(
      'Something answers at webhook.url and ends TLS without a client certificate; from here no more can be tested.',
    );
  }
  const isCertificate = /CERT|SIGNATURE|ISSUER|ALTNAME/.test(code);
  return isCertificate
    ? bad(
        `The certificate of webhook.url is not trusted (${code}).`,
        'Give the receiver, or its proxy, a certificate for that name from an authority that the PSP trusts, with its chain.',
      )
    : bad(`webhook.url cannot be reached (${code}).`, 'Start the service; check the name, the port and the firewall.');
}

const good = (detail: string): Check => ({ name: NAME, ok: true, detail });
const unsure = (detail: string): Check => ({ ...good(detail), mend: 'Try it from outside.' });
const bad = (detail: string, mend: string): Check => ({ name: NAME, ok: false, detail, mend });

function ask(url: string, options: RequestOptions): Promise<Asked> {
  return new Promise(resolve => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const asked = request(url, { ...options, agent: false, signal }, answer => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0 });
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      resolve({ code: signal.aborted ? 'TIMEOUT' : (error.code ?? 'unknown') });
    });
    asked.end();
  });
}
