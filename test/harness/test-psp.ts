// The simulated PSP as tests of the rail start it. With PSP_VALIDATOR set, as `npm run conformance:psp` does, Prism stands
// between rail and PSP and holds every call against Bacen's document; the test does not notice.
import assert from 'node:assert/strict';
import path from 'node:path';
import type { Psp, PspOptions } from '../../src/sandbox/psp/psp.ts';
import { startPsp } from '../../src/sandbox/psp/start.ts';

const ROOT = path.join(import.meta.dirname, '../..');

export async function startTestPsp(options: PspOptions = {}): Promise<Psp> {
  const psp = await startPsp(options);
  const validator = process.env['PSP_VALIDATOR'];
  return validator === undefined ? psp : behindPrism(psp, validator);
}

async function behindPrism(psp: Psp, validator: string): Promise<Psp> {
  const { profile, url, tokenUrl, files } = psp;
  const file = path.relative(ROOT, process.argv[1] ?? '');
  const answer = await fetch(validator, {
    method: 'POST',
    body: JSON.stringify({ file, profile, url, tokenUrl, files }),
  });
  assert.equal(answer.status, 201);
  const before = (await answer.json()) as Pick<Psp, 'url' | 'tokenUrl'>;
  const place = new URL(answer.headers.get('location') ?? '', validator);
  return {
    ...psp,
    ...before,
    stop: async () => {
      await psp.stop();
      await fetch(place, { method: 'DELETE' });
    },
  };
}
