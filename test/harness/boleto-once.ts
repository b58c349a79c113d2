// A boleto that is requested while the bank fails is registered there exactly once.
import assert from 'node:assert/strict';
import type { Fault } from '@trilho/psp';
import type { ServiceAtBank } from './boleto-bank.ts';

/** `looks`: how many minutes may pass before it must be registered. */
export async function provesOnce(
  at: ServiceAtBank,
  fault: Omit<Fault, 'on' | 'count'>,
  { path, looks }: { readonly path: string; readonly looks: number },
): Promise<void> {
  at.psp.setFault({ ...fault, on: { method: 'POST', path }, count: 1 });
  const { status, json, text } = await at.create();
  at.psp.clearFaults();
  assert.equal(status, 201, text);
  for (let look = 0; look < looks; look++) {
    at.service.clock.advanceMs(61_000);
    await at.service.runJobs();
  }
  const { boleto } = await at.read(json.id);
  assert.equal(boleto.status, 'REGISTERED');
  const { ownNumber } = at.title(boleto.digitableLine);
  const { titles } = at.psp.state();
  assert.equal(titles.filter(({ line }) => line === boleto.digitableLine).length, 1);
  assert.equal(titles.filter(title => title.ownNumber === ownNumber).length, 1);
}
