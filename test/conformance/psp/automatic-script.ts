// A walk through every endpoint of Pix Automático, with every optional part of a request used once. Requests that must be
// refused match the document's schemas, so that only their meaning is wrong.
import type { Psp } from '@trilho/psp';
import type { Send } from './script.ts';

const KEY = 'recebedor@example.com';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let made = 0;
const txid = () => `a${String(++made).padStart(31, '0')}`;

export async function automaticCallsOf(psp: Psp, send: Send): Promise<void> {
  const days = daysFrom(psp);
  await webhooks(send);
  await requests(psp, send, days);
  const idRec = await codes(psp, send, days);
  await charges(psp, send, days, idRec);
}

type Days = (ahead: number) => string;

/** Days in Brazil, from today on. */
function daysFrom(psp: Psp): Days {
  return ahead => new Date(psp.now().getTime() - 3 * HOUR_MS + ahead * DAY_MS).toISOString().slice(0, 10);
}

function times(psp: Psp): string {
  const now = psp.now();
  const query = { inicio: new Date(now.getTime() - 40 * DAY_MS).toISOString(), fim: now.toISOString() };
  return new URLSearchParams(query).toString();
}

function recBody(days: Days, more: object = {}): object {
  return {
    vinculo: {
      contrato: '63100862',
      devedor: { cpf: '45164632481', nome: 'Fulano de Tal' },
      objeto: 'Serviço de música',
    },
    calendario: { dataInicial: days(4), periodicidade: 'SEMANAL' },
    politicaRetentativa: 'NAO_PERMITE',
    ...more,
  };
}

async function requests(psp: Psp, send: Send, days: Days): Promise<void> {
  const { idRec } = await send(
    'POST',
    '/rec',
    201,
    recBody(days, {
      calendario: { dataInicial: days(4), dataFinal: days(400), periodicidade: 'MENSAL' },
      valor: { valorRec: '35.00' },
      recebedor: { convenio: 'Master' },
    }),
  );
  await send('POST', '/rec', 400, recBody(days, { calendario: { dataInicial: days(-4), periodicidade: 'ANUAL' } }));
  await send('PATCH', `/rec/${idRec}`, 200, {
    vinculo: { devedor: { nome: 'Fulano da Silva' } },
    calendario: { dataInicial: days(5) },
    ativacao: { dadosJornada: { txid: txid() } },
  });
  await send('PATCH', `/rec/RN${'0'.repeat(27)}`, 404, { status: 'CANCELADA' });
  await send('GET', `/rec/RN${'0'.repeat(27)}`, 404);
  const body = {
    idRec,
    calendario: { dataExpiracaoSolicitacao: new Date(psp.now().getTime() + DAY_MS).toISOString() },
    destinatario: { agencia: '2569', conta: '550689', cpf: '15231470190', ispbParticipante: '91193552' },
  };
  const { idSolicRec } = await send('POST', '/solicrec', 201, body);
  await send('POST', '/solicrec', 400, body);
  await send('POST', '/solicrec', 404, { ...body, idRec: `RN${'0'.repeat(27)}` });
  await send('PATCH', `/solicrec/${idSolicRec}`, 201, { status: 'CANCELADA' });
  await send('PATCH', `/solicrec/${idSolicRec}`, 400, { status: 'CANCELADA' });
  const second = await send('POST', '/solicrec', 201, body);
  psp.automatic.approve({ idSolicRec: second.idSolicRec });
  await send('GET', `/solicrec/${second.idSolicRec}`, 200);
  await send('GET', `/solicrec/SC${'0'.repeat(27)}`, 404);
  await send('GET', `/rec/${idRec}`, 200);
  await send('PATCH', `/rec/${idRec}`, 400, { calendario: { dataInicial: days(6) } });
  await send('PATCH', `/rec/${idRec}`, 200, { status: 'CANCELADA' });
  const company = { contrato: '1', devedor: { cnpj: '12ABC34501DE35', nome: 'Empresa SA' } };
  const refused = await send(
    'POST',
    '/rec',
    201,
    recBody(days, { vinculo: company, politicaRetentativa: 'PERMITE_3R_7D' }),
  );
  await send('POST', '/solicrec', 201, { ...body, idRec: refused.idRec });
  psp.automatic.reject({ idRec: refused.idRec });
  await send('GET', `/rec/${refused.idRec}`, 200);
  await send('GET', `/rec?${times(psp)}&paginacao.itensPorPagina=2&cpf=45164632481&convenio=Master`, 200);
  await send('GET', `/rec?${times(psp)}&status=REJEITADA&cnpj=12ABC34501DE35&locationPresente=false`, 200);
}

/** Returns a recurrence that allows retries and that the payer has approved. */
async function codes(psp: Psp, send: Send, days: Days): Promise<string> {
  const immediate = await send('POST', '/cob', 201, {
    calendario: { expiracao: 3600 },
    valor: { original: '1.00' },
    chave: KEY,
  });
  const later = txid();
  await send('PUT', `/cobv/${later}`, 201, {
    calendario: { dataDeVencimento: days(3) },
    devedor: { cpf: '45164632481', nome: 'Fulano de Tal' },
    valor: { original: '1.00' },
    chave: KEY,
  });
  const { id, location } = await send('POST', '/locrec', 201);
  await send('GET', `/locrec/${id}`, 200);
  await send('GET', '/locrec/999', 404);
  const { idRec } = await send(
    'POST',
    '/rec',
    201,
    recBody(days, {
      loc: id,
      valor: { valorMinimoRecebedor: '5.00' },
      politicaRetentativa: 'PERMITE_3R_7D',
      ativacao: { dadosJornada: { txid: immediate.txid } },
    }),
  );
  await send('GET', `/locrec/${id}`, 200);
  await send('GET', `/rec/${idRec}`, 200);
  await send('GET', `/rec/${idRec}?txid=${later}`, 200);
  const { dadosQR } = await send('GET', `/rec/${idRec}?txid=${immediate.txid}`, 200);
  await send('GET', location.slice(location.indexOf('/')), 200);
  await psp.pay({ emv: dadosQR.pixCopiaECola });
  await send('GET', `/rec/${idRec}`, 200);
  await send('GET', `/locrec?${times(psp)}&idRecPresente=true`, 200);
  await send('DELETE', `/locrec/${id}/idRec`, 200);
  await send('DELETE', '/locrec/999/idRec', 404);
  return idRec;
}

async function charges(psp: Psp, send: Send, days: Days, idRec: string): Promise<void> {
  const body = {
    idRec,
    infoAdicional: 'Serviços de música e filmes',
    calendario: { dataDeVencimento: days(4) },
    valor: { original: '35.00' },
    ajusteDiaUtil: false,
    recebedor: { agencia: '9708', conta: '012682', tipoConta: 'CORRENTE' },
    devedor: { email: 'f@example.com', logradouro: 'Rua 1', cidade: 'Recife', uf: 'PE', cep: '70011750' },
  };
  const [first, second] = [txid(), txid()];
  await send('PUT', `/cobr/${first}`, 201, body);
  await send('PUT', `/cobr/${first}`, 400, body);
  await send('PATCH', `/cobr/${first}`, 200, { status: 'CANCELADA' });
  await send('PATCH', `/cobr/${first}`, 400, { status: 'CANCELADA' });
  await send('PATCH', `/cobr/${txid()}`, 404, { status: 'CANCELADA' });
  await send('PUT', `/cobr/${second}`, 201, body);
  psp.automatic.setAccount({ idRec, balance: '0.00' });
  psp.moveClock({ advanceMs: 5 * DAY_MS });
  await send('GET', `/cobr/${second}`, 200);
  await send('POST', `/cobr/${second}/retentativa/${days(-1)}`, 400);
  await send('POST', `/cobr/${second}/retentativa/${days(2)}`, 201);
  await send('POST', `/cobr/${txid()}/retentativa/${days(2)}`, 404);
  psp.automatic.setAccount({ idRec, balance: null });
  psp.moveClock({ advanceMs: 3 * DAY_MS });
  const { pix } = await send('GET', `/cobr/${second}`, 200);
  const refund = `/pix/${pix[0].endToEndId}/devolucao/d1`;
  await send('PUT', refund, 201, { valor: '1.00', natureza: 'ORIGINAL' });
  psp.medReturn({ endToEndId: pix[0].endToEndId, valor: '2.00', natureza: 'MED_PIX_AUTOMATICO' });
  await send('GET', `/cobr/${second}`, 200);
  await send('GET', `/pix/${pix[0].endToEndId}`, 200);
  const { txid: third } = await send('POST', '/cobr', 201, { ...body, calendario: { dataDeVencimento: days(5) } });
  psp.automatic.refuseCharges({ codigo: 'DENC', count: 1 });
  psp.moveClock({ advanceMs: HOUR_MS });
  await send('GET', `/cobr/${third}`, 200);
  await send('POST', '/cobr', 400, { ...body, valor: { original: '0.00' } });
  await send('GET', `/cobr/${txid()}`, 404);
  await send('GET', `/cobr?${times(psp)}&idRec=${idRec}&cpf=45164632481&paginacao.itensPorPagina=2`, 200);
  await send('GET', `/cobr?${times(psp)}&status=CONCLUIDA`, 200);
}

async function webhooks(send: Send): Promise<void> {
  for (const path of ['/webhookrec', '/webhookcobr']) {
    await send('PUT', path, 200, { webhookUrl: 'https://example.com/hook' });
    await send('PUT', path, 400, { webhookUrl: 'http://example.com/hook' });
    await send('GET', path, 200);
    await send('DELETE', path, 204);
    await send('GET', path, 404);
    await send('DELETE', path, 404);
  }
}
