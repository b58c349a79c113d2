// A confirmation says what will happen: where the money goes, and what is left of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECKOUTS } from '../../harness/checkouts.ts';
import { textOf, view } from '../../harness/dashboard.ts';
import { startService } from '../../harness/service.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

test('a sweep shows the full cold address of each network, or that there is no such address', async t => {
  const env = { TRILHO_PAYOUTS: JSON.stringify({ coldAddresses: { polygon: COLD } }) };
  const [some, none] = await Promise.all([startService({ env }), startService()]);
  t.after(() => Promise.all([some.stop(), none.stop()]));
  assert.match(textOf(await view(some, '/payouts/sweep')), new RegExp(`On polygon ${COLD} `));
  assert.match(textOf(await view(none, '/payouts/sweep')), /No network has a cold address/);
});

test('a refund shows earlier refunds, and what is left', async t => {
  const service = await startService();
  t.after(() => service.stop());
  const fresh = await CHECKOUTS['paid']!(service);
  assert.match(textOf(await view(service, `/charges/${fresh}/refund`)), /Paid R\$\s159\.90 Payer/);
  const part = await CHECKOUTS['refunded in part']!(service);
  const said = textOf(await view(service, `/charges/${part}/refund`));
  assert.match(said, /Paid R\$\s159\.90 Sent back before R\$\s50\.00 Left R\$\s109\.90 Payer/);
});
