// A bank whose API does not answer before the request times out.
import { after, before, test } from 'node:test';
import { type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { provesOnce } from '../harness/boleto-once.ts';

let at: ServiceAtBank;
before(async () => {
  at = await startServiceAtBank('sicoob');
});
after(() => at.stop());

for (const { name, kind } of [
  { name: 'before it does anything', kind: 'timeout-before' },
  { name: 'after it has registered', kind: 'timeout-after' },
] as const) {
  test(`when the bank times out ${name} the boleto is registered once`, () =>
    provesOnce(at, { kind }, { path: '/boletos', looks: 1 }));
}
