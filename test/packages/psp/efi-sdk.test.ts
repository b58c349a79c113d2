// Efí's own SDK drives the simulated PSP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPsp } from '../../../packages/psp/src/start.ts';
import { KEY, newTxid } from './caller.ts';
import { openEfi } from './efi.ts';
import { startTlsReceiver } from './receiver.ts';

test("Efí's SDK creates a charge, sees it paid, refunds it and registers a webhook", async t => {
  const psp = await startPsp({ profile: 'efi' });
  t.after(psp.stop);
  const efi = await openEfi(t, psp);
  const receiver = await startTlsReceiver(t, psp);
  await efi.pixConfigWebhook({ chave: KEY }, { webhookUrl: receiver.url });
  assert.equal((await efi.pixDetailWebhook({ chave: KEY })).webhookUrl, receiver.url);

  const txid = newTxid();
  const body = { calendario: { expiracao: 3600 }, valor: { original: '123.45' }, chave: KEY };
  const charge = await efi.pixCreateCharge({ txid }, body);
  assert.deepEqual([charge.txid, charge.status], [txid, 'ATIVA']);
  await assert.rejects(efi.pixCreateCharge({ txid }, body), { nome: 'txid_duplicado' });

  const { endToEndId } = await psp.pay({ emv: charge.pixCopiaECola! });
  await psp.settled();
  assert.equal(receiver.received.at(-1)?.json.pix[0].endToEndId, endToEndId);
  assert.equal((await efi.pixDetailCharge({ txid })).status, 'CONCLUIDA');
  assert.equal((await efi.pixDetailReceived({ e2eId: endToEndId })).valor, '123.45');
  const nowText = new Date().toISOString();
  const received = await efi.pixReceivedList({ inicio: new Date(Date.now() - 60_000).toISOString(), fim: nowText });
  assert.deepEqual(
    received.pix.map(pix => pix.endToEndId),
    [endToEndId],
  );

  await efi.pixDevolution({ e2eId: endToEndId, id: 'd1' }, { valor: '23.45' });
  assert.equal((await efi.pixDetailDevolution({ e2eId: endToEndId, id: 'd1' })).status, 'DEVOLVIDO');
  await psp.settled();
  assert.equal(receiver.received.at(-1)?.json.pix[0].devolucoes[0].id, 'd1');

  const due = await efi.pixCreateDueCharge({ txid: newTxid() }, {
    calendario: { dataDeVencimento: '2049-12-10', validadeAposVencimento: 30 },
    devedor: { cpf: '12345678909', nome: 'Francisco da Silva' },
    valor: { original: '10.00', multa: { modalidade: 2, valorPerc: '2.00' } },
    chave: KEY,
  } as never);
  assert.equal(due.status, 'ATIVA');
  // The client asks for `/v2/cobv/`, with a slash at its end.
  const times = { inicio: new Date(Date.now() - 60_000).toISOString(), fim: new Date().toISOString() };
  assert.deepEqual(
    (await efi.pixListDueCharges(times)).cobs.map(({ txid }) => txid),
    [due.txid],
  );
  const location = await efi.pixCreateLocation({ tipoCob: 'cob' });
  assert.equal((await efi.pixDetailLocation({ id: location.id })).tipoCob, 'cob');
  await efi.pixDeleteWebhook({ chave: KEY });
  await assert.rejects(efi.pixDetailWebhook({ chave: KEY }), { nome: 'webhook_nao_encontrado' });
});
