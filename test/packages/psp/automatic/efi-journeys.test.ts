// Efí's own SDK goes through the four journeys of Pix Automático in the order of its examples (examples/pix/automatic), and
// its own schemas read every answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as efiSchemas from 'sdk-node-apis-efi';
import { startPsp } from '../../../../packages/psp/src/start.ts';
import { testClock } from '../../../harness/clock.ts';
import { KEY, newTxid } from '../caller.ts';
import { openEfi } from '../efi.ts';
import { startTlsReceiver } from '../receiver.ts';

const DEBTOR = { cpf: '45164632481', nome: 'Fulano de Tal' };
const DAY_MS = 86_400_000;
/** The SDK checks its certificates by the clock of the machine, so the days follow it. */
const today = Date.now();
const day = (ahead: number) => new Date(today - 3 * 3_600_000 + ahead * DAY_MS).toISOString().slice(0, 10);

/** Its schemas demand a location always; the norm's own examples recResponse2 and 4 have none. */
const LOCATED = { loc: true, dadosQR: true } as const;

const recurrence = {
  vinculo: { contrato: '63100862', devedor: DEBTOR, objeto: 'Serviço de Streamming de Música.' },
  calendario: { dataInicial: day(4), dataFinal: day(400), periodicidade: 'MENSAL' as const },
  valor: { valorRec: '35.00' },
  politicaRetentativa: 'PERMITE_3R_7D' as const,
};

test("Efí's SDK goes through the four journeys, charges, retries and cancels", async t => {
  const clock = testClock(new Date(today).toISOString());
  const psp = await startPsp({ profile: 'efi', clock, tokenSeconds: 100 * 86_400 });
  t.after(psp.stop);
  const efi = await openEfi(psp);
  const receiver = await startTlsReceiver(t, psp);
  await efi.pixConfigWebhookRecurrenceAutomatic({ webhookUrl: receiver.url });
  await efi.pixConfigWebhookAutomaticCharge({ webhookUrl: receiver.url });
  assert.equal((await efi.pixListWebhookRecurrenceAutomatic()).webhookUrl, receiver.url);
  const readRec = async (params: { idRec: string; txid?: string }) => {
    const answer = await efi.pixDetailRecurrenceAutomatic(params as { idRec: string });
    return efiSchemas.PixDetailRecurrenceAutomaticResponseSchema.partial(LOCATED).parse(answer);
  };
  const newRec = async (more: object = {}) => {
    const answer = await efi.pixCreateRecurrenceAutomatic({ ...recurrence, ...more });
    return efiSchemas.PixCreateRecurrenceAutomaticResponseSchema.partial({ loc: true }).parse(answer).idRec;
  };
  const newLocation = async () => {
    const answer = await efi.pixCreateLocationRecurrenceAutomatic();
    return efiSchemas.PixCreateLocationRecurrenceAutomaticResponseSchema.parse(answer).id;
  };
  const journeyOf = async (idRec: string) => {
    const { status, ativacao } = await readRec({ idRec });
    return [status, ativacao?.tipoJornada];
  };

  const first = await newRec();
  // Its schema of a request has the whole recurrence as `recPayload`; the norm has what the payer's bank reads.
  const { idSolicRec } = await efi.pixCreateRequestRecurrenceAutomatic({
    idRec: first,
    calendario: { dataExpiracaoSolicitacao: new Date(today + DAY_MS).toISOString() },
    destinatario: { agencia: '2569', conta: '550689', cpf: '15231470190', ispbParticipante: '91193552' },
  });
  psp.automatic.approve({ idSolicRec });
  assert.equal((await efi.pixDetailRequestRecurrenceAutomatic({ idSolicRec })).status, 'ACEITA');
  assert.deepEqual(await journeyOf(first), ['APROVADA', 'JORNADA_1']);

  const second = await newRec({ loc: await newLocation() });
  psp.automatic.approve({ emv: (await readRec({ idRec: second })).dadosQR!.pixCopiaECola });
  assert.deepEqual(await journeyOf(second), ['APROVADA', 'JORNADA_2']);

  const cob = { calendario: { expiracao: 3600 }, valor: { original: '123.45' }, chave: KEY, devedor: DEBTOR };
  const { txid } = await efi.pixCreateImmediateCharge(cob);
  const third = await newRec({ loc: await newLocation(), ativacao: { dadosJornada: { txid } } });
  await psp.pay({ emv: (await readRec({ idRec: third, txid })).dadosQR!.pixCopiaECola });
  assert.deepEqual(await journeyOf(third), ['APROVADA', 'JORNADA_3']);
  assert.equal((await efi.pixDetailCharge({ txid })).status, 'CONCLUIDA');

  const due = newTxid();
  await efi.pixCreateDueCharge({ txid: due }, {
    calendario: { dataDeVencimento: day(3), validadeAposVencimento: 30 },
    devedor: DEBTOR,
    valor: { original: '50.00' },
    chave: KEY,
  } as never);
  const fourth = await newRec({ loc: await newLocation() });
  psp.automatic.approve({ emv: (await readRec({ idRec: fourth, txid: due })).dadosQR!.pixCopiaECola });
  assert.deepEqual(await journeyOf(fourth), ['APROVADA', 'JORNADA_4']);

  const charge = {
    calendario: { dataDeVencimento: day(4) },
    valor: { original: '35.00' },
    ajusteDiaUtil: false,
    recebedor: { agencia: '9708', conta: '012682', tipoConta: 'CORRENTE' as const },
  };
  const readCharge = async (id: string) =>
    efiSchemas.PixDetailAutomaticChargeResponseSchema.parse(await efi.pixDetailAutomaticCharge({ txid: id }));
  const [paid, retried, canceled] = [newTxid(), newTxid(), newTxid()];
  for (const [idRec, id] of [
    [first, paid],
    [second, retried],
    [third, canceled],
  ] as const) {
    const answer = await efi.pixCreateAutomaticChargeTxid({ txid: id }, { ...charge, idRec });
    efiSchemas.PixCreateAutomaticChargeTxidResponseSchema.parse(answer);
  }
  await assert.rejects(efi.pixCreateAutomaticCharge({ ...charge, idRec: first }), { nome: 'json_invalido' });
  await efi.pixUpdateAutomaticCharge({ txid: canceled }, { status: 'CANCELADA' });
  psp.automatic.setAccount({ idRec: second, balance: '0.00' });
  clock.advanceMs(6 * DAY_MS);
  assert.deepEqual([(await readCharge(paid)).status, (await readCharge(canceled)).status], ['CONCLUIDA', 'CANCELADA']);
  await efi.pixRetryRequestAutomatic({ txid: retried, data: day(8) });
  psp.automatic.setAccount({ idRec: second, balance: null });
  clock.advanceMs(3 * DAY_MS);
  const { status, pix, tentativas } = await readCharge(retried);
  assert.deepEqual([status, tentativas?.map(({ tipo }) => tipo)], ['CONCLUIDA', ['AGND', 'NTAG']]);
  const { endToEndId } = pix![0]!;
  await efi.pixDevolution({ e2eId: endToEndId, id: 'd1' }, { valor: '5.00' });
  assert.equal((await efi.pixDetailReceived({ e2eId: endToEndId })).txid, retried);
  const times = { inicio: new Date(today - DAY_MS).toISOString(), fim: clock.now().toISOString() };
  assert.equal((await efi.pixListAutomaticCharge(times)).cobsr.length, 3);

  await efi.pixUpdateRecurrenceAutomatic({ idRec: first }, { status: 'CANCELADA' } as never);
  assert.equal((await readRec({ idRec: first })).status, 'CANCELADA');
  assert.equal((await efi.pixListRecurrenceAutomatic(times)).recs.length, 4);
  await psp.settled();
  const heard = receiver.heard.map(({ path }) => path);
  assert.ok(heard.includes('/hook/rec') && heard.includes('/hook/cobr'));
});
