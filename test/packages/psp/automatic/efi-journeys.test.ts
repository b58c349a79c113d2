// Efí's SDK goes through the four journeys of Pix Automático in the order of its examples (examples/pix/automatic), and its
// schemas validate every answer.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
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

/** Its schemas always require a location; the norm's examples recResponse2 and 4 have no location. */
const LOCATED = { loc: true, dadosQR: true } as const;

const recurrence = {
  vinculo: { contrato: '63100862', devedor: DEBTOR, objeto: 'Serviço de Streamming de Música.' },
  calendario: { dataInicial: day(4), dataFinal: day(400), periodicidade: 'MENSAL' as const },
  valor: { valorRec: '35.00' },
  politicaRetentativa: 'PERMITE_3R_7D' as const,
};

const charge = {
  calendario: { dataDeVencimento: day(4) },
  valor: { original: '35.00' },
  ajusteDiaUtil: false,
  recebedor: { agencia: '9708', conta: '012682', tipoConta: 'CORRENTE' as const },
};

type Reason = { readonly codigo: string; readonly solicitante?: string };
type Ending = { readonly rejeicao?: Reason; readonly cancelamento?: Reason };
type Attempt = { readonly status: string; readonly rejeicao?: Reason };

/** What both tests do through the SDK: recurrences and their charges, read by its schemas. */
async function startEfi(t: TestContext) {
  const clock = testClock(new Date(today).toISOString());
  const psp = await startPsp({ profile: 'efi', clock, tokenSeconds: 100 * 86_400 });
  t.after(psp.stop);
  const efi = await openEfi(t, psp);
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
  // Its schema of a request has the whole recurrence as `recPayload`; the norm has what the payer's bank reads.
  const askPayer = async (idRec: string) =>
    (
      await efi.pixCreateRequestRecurrenceAutomatic({
        idRec,
        calendario: { dataExpiracaoSolicitacao: new Date(today + DAY_MS).toISOString() },
        destinatario: { agencia: '2569', conta: '550689', cpf: '15231470190', ispbParticipante: '91193552' },
      })
    ).idSolicRec;
  const newCharge = async (idRec: string, more: object = {}) => {
    const txid = newTxid();
    const answer = await efi.pixCreateAutomaticChargeTxid({ txid }, { ...charge, ...more, idRec });
    efiSchemas.PixCreateAutomaticChargeTxidResponseSchema.parse(answer);
    return txid;
  };
  const readCharge = async (txid: string) =>
    efiSchemas.PixDetailAutomaticChargeResponseSchema.parse(await efi.pixDetailAutomaticCharge({ txid }));
  return { clock, psp, efi, readRec, newRec, newLocation, askPayer, newCharge, readCharge };
}

test("Efí's SDK goes through the four journeys, charges, retries and cancels", async t => {
  const { clock, psp, efi, readRec, newRec, newLocation, askPayer, newCharge, readCharge } = await startEfi(t);
  const receiver = await startTlsReceiver(t, psp);
  await efi.pixConfigWebhookRecurrenceAutomatic({ webhookUrl: receiver.url });
  await efi.pixConfigWebhookAutomaticCharge({ webhookUrl: receiver.url });
  assert.equal((await efi.pixListWebhookRecurrenceAutomatic()).webhookUrl, receiver.url);
  const journeyOf = async (idRec: string) => {
    const { status, ativacao } = await readRec({ idRec });
    return [status, ativacao?.tipoJornada];
  };

  const first = await newRec();
  const idSolicRec = await askPayer(first);
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

  const paid = await newCharge(first);
  const retried = await newCharge(second);
  const canceled = await newCharge(third);
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
  const received = receiver.received.map(({ path }) => path);
  assert.ok(received.includes('/hook/rec') && received.includes('/hook/cobr'));
});

test("Efí's SDK reads what a payer does: refuses, sets a limit, has no money, cancels", async t => {
  const { clock, psp, efi, readRec, newRec, newLocation, askPayer, newCharge } = await startEfi(t);
  // Its schemas lack what the norm has about an end: `rejeicao` of an attempt, and what is in `encerramento`.
  const endOf = async (idRec: string) => (await readRec({ idRec }))['encerramento'] as Ending | undefined;
  const readCharge = async (txid: string) => {
    const answer = await efi.pixDetailAutomaticCharge({ txid });
    return answer as typeof answer & { readonly tentativas: readonly Attempt[]; readonly encerramento?: Ending };
  };
  const variable = { valor: { valorMinimoRecebedor: '20.00' } };
  const newCode = async (more: object = {}) => {
    const idRec = await newRec({ loc: await newLocation(), ...more });
    return { idRec, emv: (await readRec({ idRec })).dadosQR!.pixCopiaECola };
  };

  const refused = await newRec();
  const idSolicRec = await askPayer(refused);
  psp.automatic.reject({ idSolicRec, codigo: 'AP14' });
  assert.equal((await efi.pixDetailRequestRecurrenceAutomatic({ idSolicRec })).status, 'REJEITADA');
  assert.equal((await readRec({ idRec: refused })).status, 'REJEITADA');
  assert.equal((await endOf(refused))?.rejeicao?.codigo, 'AP14');

  const limited = await newCode(variable);
  assert.throws(() => psp.automatic.approve({ emv: limited.emv, maximum: '19.99' }), { code: 'bad_input' });
  psp.automatic.approve({ emv: limited.emv, maximum: '30.00' });
  const poor = await newCode({ politicaRetentativa: 'NAO_PERMITE' });
  const leaving = await newCode();
  for (const { emv } of [poor, leaving]) psp.automatic.approve({ emv });
  assert.throws(() => psp.automatic.setAccount({ idRec: poor.idRec, maximum: '50.00' }), { code: 'bad_input' });
  psp.automatic.setAccount({ idRec: poor.idRec, balance: '34.99' });
  const [aboveLimit, unpaid, stopped] = [
    await newCharge(limited.idRec),
    await newCharge(poor.idRec),
    await newCharge(leaving.idRec),
  ];
  clock.advanceMs(5000);
  const tried = await readCharge(aboveLimit);
  assert.deepEqual([tried.status, tried.tentativas[0]?.status], ['ATIVA', 'REJEITADA']);
  assert.equal(tried.tentativas[0]?.rejeicao?.codigo, 'AM02');
  psp.automatic.cancelCharge({ txid: stopped });
  const ended = await readCharge(stopped);
  assert.deepEqual([ended.status, ended.encerramento?.cancelamento?.solicitante], ['CANCELADA', 'USUARIO_PAGADOR']);
  const after = await newCharge(leaving.idRec);
  psp.automatic.cancel({ idRec: leaving.idRec });
  assert.equal((await endOf(leaving.idRec))?.cancelamento?.codigo, 'SLDB');
  assert.equal((await readCharge(after)).encerramento?.cancelamento?.codigo, 'CCLD');
  await assert.rejects(newCharge(leaving.idRec));

  clock.advanceMs(5 * DAY_MS);
  assert.equal((await readCharge(unpaid)).status, 'EXPIRADA');
  await assert.rejects(efi.pixRetryRequestAutomatic({ txid: unpaid, data: day(7) }));
  psp.automatic.setAccount({ idRec: limited.idRec, maximum: '40.00' });
  await efi.pixRetryRequestAutomatic({ txid: aboveLimit, data: day(7) });
  clock.advanceMs(3 * DAY_MS);
  assert.equal((await readCharge(aboveLimit)).status, 'CONCLUIDA');
});
