// A walk through every endpoint of the Pix API, with every optional part of a request used once. Requests that must be refused
// match the document's schemas, so that only their meaning is wrong.
import type { Psp } from '@trilho/psp';
import { automaticCallsOf } from './automatic-script.ts';

/** Sends a call below the base, or below the host when the path begins with /qr/, and returns what was answered. */
// biome-ignore lint/suspicious/noExplicitAny: the script reads only some fields of an answer.
export type Send = (method: string, path: string, expected: number, body?: unknown) => Promise<any>;

const KEY = 'recebedor@example.com';
const HOOK = `/webhook/${encodeURIComponent(KEY)}`;
const PAYER = { cpf: '12345678909', nome: 'Francisco da Silva' };

let made = 0;
const txid = () => `c${String(++made).padStart(31, '0')}`;

export async function callsOf(psp: Psp, send: Send): Promise<void> {
  await immediate(psp, send);
  await due(psp, send);
  await locations(send);
  await payments(psp, send);
  await webhooks(send);
  await automaticCallsOf(psp, send);
}

function times(psp: Psp): string {
  const now = psp.now();
  const query = { inicio: new Date(now.getTime() - 3_600_000).toISOString(), fim: now.toISOString() };
  return new URLSearchParams(query).toString();
}

/** A location without its host. */
function payloadPath(location: string): string {
  return location.slice(location.indexOf('/'));
}

async function immediate(psp: Psp, send: Send): Promise<void> {
  const plain = { calendario: { expiracao: 3600 }, valor: { original: '37.00' }, chave: KEY };
  const full = {
    ...plain,
    devedor: { cnpj: '12ABC34501DE35', nome: 'Empresa de Serviços SA' },
    valor: { original: '37.00', modalidadeAlteracao: 1 },
    solicitacaoPagador: 'Serviço realizado.',
    infoAdicionais: [{ nome: 'Campo 1', valor: 'Informação' }],
  };
  const [id, other] = [txid(), txid()];
  const charge = await send('PUT', `/cob/${id}`, 201, full);
  await send('PUT', `/cob/${other}`, 201, { ...plain, devedor: PAYER });
  await send('PUT', `/cob/${other}`, 201, { ...plain, valor: { original: '38.00' } });
  await send('PUT', `/cob/${txid()}`, 400, { ...plain, chave: 'other@example.com' });
  await send('POST', '/cob', 201, plain);
  await send('POST', '/cob', 400, { ...plain, valor: { original: '0.00' } });
  await send('PATCH', `/cob/${id}`, 200, { valor: { original: '40.00' }, solicitacaoPagador: 'Outro' });
  await send('GET', `/cob/${id}`, 200);
  await send('GET', `/cob/${id}?revisao=0`, 200);
  await send('GET', `/cob/${txid()}`, 404);
  await send('PATCH', `/cob/${txid()}`, 404, { solicitacaoPagador: 'x' });
  await send('PATCH', `/cob/${other}`, 200, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  await send('PATCH', `/cob/${other}`, 400, { solicitacaoPagador: 'x' });
  await send('GET', payloadPath(charge.location), 200);
  await psp.pay({ emv: charge.pixCopiaECola, infoPagador: 'Obrigado' });
  await send('GET', `/cob/${id}`, 200);
  await send('GET', `/cob?${times(psp)}&paginacao.itensPorPagina=2&locationPresente=true`, 200);
  await send('GET', `/cob?${times(psp)}&status=CONCLUIDA&cnpj=12ABC34501DE35`, 200);
}

async function due(psp: Psp, send: Send): Promise<void> {
  const plain = {
    calendario: { dataDeVencimento: '2049-12-10' },
    devedor: PAYER,
    valor: { original: '100.00' },
    chave: KEY,
  };
  const address = { logradouro: 'Rua 1', cidade: 'Recife', uf: 'PE', cep: '70011750', email: 'f@example.com' };
  const full = {
    ...plain,
    calendario: { dataDeVencimento: '2049-12-10', validadeAposVencimento: 10 },
    devedor: { ...PAYER, ...address },
    valor: {
      original: '100.00',
      multa: { modalidade: 2, valorPerc: '2.00' },
      juros: { modalidade: 3, valorPerc: '1.00' },
      abatimento: { modalidade: 1, valorPerc: '1.00' },
      desconto: { modalidade: 1, descontoDataFixa: [{ data: '2049-11-30', valorPerc: '30.00' }] },
    },
    solicitacaoPagador: 'Cobrança dos serviços prestados.',
  };
  const [id, other] = [txid(), txid()];
  const charge = await send('PUT', `/cobv/${id}`, 201, full);
  await send('PUT', `/cobv/${other}`, 201, plain);
  const discount = { original: '100.00', desconto: { modalidade: 5, valorPerc: '0.01' } };
  await send('PUT', `/cobv/${other}`, 201, { ...plain, valor: discount });
  await send('PUT', `/cobv/${txid()}`, 400, { ...plain, calendario: { dataDeVencimento: '2020-12-10' } });
  await send('PATCH', `/cobv/${id}`, 200, { valor: { original: '120.00' } });
  await send('GET', `/cobv/${id}`, 200);
  await send('GET', `/cobv/${txid()}`, 404);
  await send('PATCH', `/cobv/${other}`, 200, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  await send('PATCH', `/cobv/${other}`, 400, { solicitacaoPagador: 'x' });
  await send('GET', `${payloadPath(charge.location)}?codMun=3550308&DPP=2049-12-10`, 200);
  await send('GET', `${payloadPath(charge.location)}?DPP=2050-12-10`, 400);
  await psp.pay({ emv: charge.pixCopiaECola });
  await send('GET', `/cobv/${id}`, 200);
  await send('GET', `/cobv?${times(psp)}&cpf=12345678909`, 200);
}

async function locations(send: Send): Promise<void> {
  const { id } = await send('POST', '/loc', 201, { tipoCob: 'cob' });
  await send('GET', `/loc/${id}`, 200);
  const cob = { calendario: { expiracao: 60 }, valor: { original: '1.00' }, chave: KEY };
  await send('PUT', `/cob/${txid()}`, 201, { ...cob, loc: { id } });
  await send('GET', `/loc/${id}`, 200);
  await send('PUT', `/cob/${txid()}`, 400, { ...cob, loc: { id } });
  await send('DELETE', `/loc/${id}/txid`, 200);
  await send('GET', '/loc/999999', 404);
  await send('DELETE', '/loc/999999/txid', 404);
  const since = 'inicio=2020-01-01T00%3A00%3A00Z&fim=2020-01-02T00%3A00%3A00Z';
  await send('GET', `/loc?${since}&txIdPresente=true&tipoCob=cobv`, 200);
}

async function payments(psp: Psp, send: Send): Promise<void> {
  const { endToEndId } = await psp.pay({ chave: KEY, valor: '10.00' });
  await send('GET', `/pix/${endToEndId}`, 200);
  await send('GET', `/pix/E${'0'.repeat(31)}`, 404);
  await send('PUT', `/pix/${endToEndId}/devolucao/d1`, 201, { valor: '1.00', natureza: 'ORIGINAL', descricao: 'x' });
  psp.setRefunds({ status: 'NAO_REALIZADO', afterMs: null });
  await send('PUT', `/pix/${endToEndId}/devolucao/d2`, 201, { valor: '2.00' });
  await send('GET', `/pix/${endToEndId}/devolucao/d2`, 200);
  psp.endRefund({ endToEndId, id: 'd2', status: 'NAO_REALIZADO' });
  await send('GET', `/pix/${endToEndId}/devolucao/d2`, 200);
  await send('PUT', `/pix/${endToEndId}/devolucao/d3`, 400, { valor: '100.00' });
  await send('GET', `/pix/${endToEndId}/devolucao/d9`, 404);
  psp.medReturn({ endToEndId, valor: '3.00' });
  await send('GET', `/pix/${endToEndId}`, 200);
  await send('GET', `/pix?${times(psp)}`, 200);
  await send('GET', `/pix?${times(psp)}&txIdPresente=true&devolucaoPresente=false&cpf=12345678909`, 200);
}

async function webhooks(send: Send): Promise<void> {
  await send('PUT', HOOK, 200, { webhookUrl: 'https://example.com/hook' });
  await send('PUT', '/webhook/other%40example.com', 400, { webhookUrl: 'https://example.com/hook' });
  await send('GET', HOOK, 200);
  await send('GET', '/webhook', 200);
  await send('GET', `/webhook?inicio=2020-01-01T00%3A00%3A00Z&fim=2020-01-02T00%3A00%3A00Z`, 200);
  await send('DELETE', HOOK, 204);
  await send('GET', HOOK, 404);
  await send('DELETE', HOOK, 404);
}
