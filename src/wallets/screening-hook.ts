// Asks a screening service about an address: POST {network, address} → {result, words?}. Anything but a plain answer in
// time is `unknown`; neither its text nor the secret reaches the log.
import type { Network } from '../chains/asset.ts';
import type { Log } from '../lib/log.ts';
import { isStorable } from '../lib/text.ts';
import type { ScreeningSettings } from './wallet-settings.ts';

type HookSettings = NonNullable<ScreeningSettings['hook']>;

const SCREENING_RESULTS = ['clear', 'hit', 'unknown'] as const;
export type ScreeningResult = (typeof SCREENING_RESULTS)[number];

type HookAnswer = {
  readonly result: ScreeningResult;
  /** The text of the service, for operators. */
  readonly words?: string;
};

export type AskHook = (network: Network, address: string) => Promise<HookAnswer>;

const TIMEOUT_MS = 3_000;
const MAX_BODY_BYTES = 16 * 1024;
const MAX_WORDS_LENGTH = 500;

export function screeningHook({ log }: { readonly log: Log }, { url, secret }: HookSettings): AskHook {
  return async (network, address) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        // A redirect could lead anywhere, and would forward the secret.
        redirect: 'manual',
        headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ network, address }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const answer = response.status === 200 ? readAnswer(await textOf(response)) : undefined;
      if (response.status !== 200) await response.body?.cancel();
      if (answer) return answer;
      log.warn('the answer of the screening service cannot be read', { network, status: response.status });
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      log.warn('the screening service was not reached', {
        network,
        reason: isLate ? 'no answer in time' : 'unreachable',
      });
    }
    return { result: 'unknown' };
  };
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new RangeError('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(text: string): HookAnswer | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('result' in value)) return undefined;
  const result = SCREENING_RESULTS.find(known => known === value.result);
  if (!result) return undefined;
  const words = 'words' in value && typeof value.words === 'string' ? value.words.slice(0, MAX_WORDS_LENGTH) : '';
  return { result, ...(words !== '' && isStorable(words) && { words }) };
}
