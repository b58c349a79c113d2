// The simulated PSP as tests of the rail start it. With PSP_VALIDATOR set, as `npm run conformance -- psp` does, Prism stands
// between rail and PSP and validates every call against Bacen's document; nothing changes for the test.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type Psp, type PspOptions, startPsp } from '@trilho/psp';

const ROOT = path.join(import.meta.dirname, '../..');

export async function startTestPsp(options: PspOptions = {}): Promise<Psp> {
  const psp = await startPsp(options);
  const { remove, ...before } = await putPrismBefore(psp, 'simulated');
  const stop = async () => {
    await psp.stop();
    await remove();
  };
  return { ...psp, ...before, stop };
}

type Addresses = Pick<Psp, 'url' | 'tokenUrl'>;

/** The addresses to call instead of the PSP's own; without PSP_VALIDATOR they are the same. Remove it when the PSP has stopped. */
export async function putPrismBefore(
  { profile, url, tokenUrl, files }: Pick<Psp, 'profile' | 'url' | 'tokenUrl' | 'files'>,
  answers: 'simulated' | 'scripted',
): Promise<Addresses & { remove(): Promise<void> }> {
  const validator = process.env['PSP_VALIDATOR'];
  if (validator === undefined) return { url, tokenUrl, remove: async () => {} };
  // One process runs many files, and only its worker knows which one runs now.
  const file = path.relative(ROOT, path.resolve(ROOT, process.env['TEST_FILE'] ?? ''));
  const answer = await fetch(validator, {
    method: 'POST',
    body: JSON.stringify({ file, profile, url, tokenUrl, files, answers }),
  });
  assert.equal(answer.status, 201);
  const before = (await answer.json()) as Addresses;
  const place = new URL(answer.headers.get('location') ?? '', validator);
  const remove = async () => {
    await fetch(place, { method: 'DELETE' });
  };
  return { ...before, remove };
}
