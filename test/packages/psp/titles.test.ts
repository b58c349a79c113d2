// The simulated boleto APIs refuse what the banks' documents refuse, in the banks' formats.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Psp } from '../../../packages/psp/src/psp.ts';
import { startPsp } from '../../../packages/psp/src/start.ts';
import type { Client } from '../../../src/rails/bank-client/client.ts';
import type { Connections } from '../../../src/rails/bank-client/connection.ts';
import { openBoletoApi } from '../../../src/rails/boleto-apis/load.ts';
import type { BoletoResource } from '../../../src/rails/boleto-apis/profile.ts';
import { apiEntry } from '../../harness/boleto-bank.ts';
import { silentLog } from '../../harness/log.ts';

const clock = { now: () => new Date('2026-11-16T12:00:00Z') };

function open(psp: Psp): { client: Client<BoletoResource>; connections: Connections } {
  const { api, ...entry } = apiEntry(psp);
  const result = openBoletoApi({ ...entry, api: api! }, { clock, log: silentLog });
  assert('opened' in result);
  return result.opened;
}

const SICOOB = {
  numeroCliente: 42971,
  codigoModalidade: 1,
  numeroContaCorrente: 36668,
  codigoEspecieDocumento: 'DM',
  dataEmissao: '2026-11-16',
  seuNumero: '1',
  identificacaoEmissaoBoleto: 2,
  identificacaoDistribuicaoBoleto: 2,
  valor: 10.5,
  dataVencimento: '2026-12-10',
  tipoDesconto: 0,
  tipoMulta: 0,
  tipoJurosMora: 3,
  numeroParcela: 1,
  pagador: {
    numeroCpfCnpj: '52998224725',
    nome: 'Maria',
    endereco: 'Rua',
    bairro: 'Centro',
    cidade: 'Recife',
    cep: '50000000',
    uf: 'PE',
  },
};

const INTER = {
  seuNumero: '1',
  valorNominal: 10.5,
  dataVencimento: '2026-12-10',
  numDiasAgenda: 30,
  pagador: {
    cpfCnpj: '52998224725',
    tipoPessoa: 'FISICA',
    nome: 'Maria',
    endereco: 'Rua',
    cidade: 'Recife',
    uf: 'PE',
    cep: '50000000',
  },
};

const cases = {
  sicoob: [
    [{ ...SICOOB, valor: '10.50' }, 406, /boleto\.valor/],
    [{ ...SICOOB, valor: 10.555 }, 406, /boleto\.valor/],
    [{ ...SICOOB, estranho: 1 }, 406, /boleto\.estranho/],
    [{ ...SICOOB, pagador: { ...SICOOB.pagador, bairro: undefined } }, 406, /bairro/],
    [{ ...SICOOB, seuNumero: '1234567890123456789' }, 406, /seuNumero/],
    [{ ...SICOOB, numeroCliente: 7 }, 400, /cliente/],
    [{ ...SICOOB, dataVencimento: '2026-11-15' }, 400, /vencimento/],
    [{ ...SICOOB, tipoMulta: 2, dataMulta: '2026-12-10', valorMulta: 2 }, 400, /Multa/],
    [{ ...SICOOB, nossoNumero: 11 }, 400, /nosso número/],
    [{ ...SICOOB, pagador: { ...SICOOB.pagador, numeroCpfCnpj: '11111111111' } }, 400, /CPF/],
  ],
  inter: [
    [{ ...INTER, valorNominal: '10.50' }, 400, /valorNominal/],
    [{ ...INTER, valorNominal: 2.49 }, 400, /valorNominal/],
    [{ ...INTER, formasRecebimento: 'BOLETO' }, 400, /formasRecebimento/],
    [{ ...INTER, estranho: 1 }, 400, /estranho/],
    [{ ...INTER, seuNumero: '1234567890123456' }, 400, /seuNumero/],
    [{ ...INTER, numDiasAgenda: 61 }, 400, /numDiasAgenda/],
    [{ ...INTER, dataVencimento: '2026-11-15' }, 400, /dataVencimento/],
    [{ ...INTER, pagador: { ...INTER.pagador, tipoPessoa: 'JURIDICA' } }, 400, /tipoPessoa/],
    [{ ...INTER, multa: { codigo: 'PERCENTUAL' } }, 400, /multa/],
  ],
} as const;

for (const profile of ['sicoob', 'inter'] as const) {
  describe(profile, () => {
    let psp: Psp;
    let client: Client<BoletoResource>;
    let connections: Connections;
    before(async () => {
      psp = await startPsp({ profile, clock });
      ({ client, connections } = open(psp));
    });
    after(async () => {
      connections.stop();
      await psp.stop();
    });

    test('a valid request is accepted, and wrong ones are refused with the reason', async () => {
      const body = profile === 'sicoob' ? SICOOB : INTER;
      assert.equal((await client.call({ method: 'POST', resource: 'boletos', body })).kind, 'ok');
      for (const [wrong, status, message] of cases[profile]) {
        const answer = await client.call({ method: 'POST', resource: 'boletos', body: wrong });
        assert(answer.kind === 'refused', JSON.stringify(answer));
        assert.equal(answer.status, status, answer.message);
        assert.match(answer.message, message);
      }
      assert.equal(psp.state().titles.length, 1);
    });

    test('a boleto is paid once, and not after it was written off', async () => {
      const [title] = psp.state().titles;
      if (profile === 'inter') await assert.rejects(psp.payTitle({ line: title!.line }), /not registered/);
      else {
        await psp.payTitle({ line: title!.line });
        await assert.rejects(psp.payTitle({ line: title!.line }), /paid/);
      }
      await assert.rejects(psp.payTitle({ line: '1'.repeat(47) }), /No boleto/);
    });
  });
}

const CHANGE = { numeroCliente: 42971, codigoModalidade: 1 };
const DUE_DAY = { prorrogacaoVencimento: { dataVencimento: '2026-12-20' } };

const changes = {
  sicoob: [
    [{ ...DUE_DAY }, 406, /numeroCliente/],
    [{ ...CHANGE, ...DUE_DAY, estranho: 1 }, 406, /estranho/],
    [{ ...CHANGE, prorrogacaoVencimento: { dataVencimento: '2026-02-30' } }, 406, /dataVencimento/],
    [{ ...CHANGE, numeroCliente: 7, ...DUE_DAY }, 400, /cliente/],
    [{ ...CHANGE }, 400, /somente um objeto/],
    [{ ...CHANGE, ...DUE_DAY, pix: { utilizarPix: false } }, 400, /somente um objeto/],
    [{ ...CHANGE, prorrogacaoVencimento: { dataVencimento: '2026-12-10' } }, 400, /Ao menos um campo/],
    [{ ...CHANGE, prorrogacaoVencimento: { dataVencimento: '2026-11-15' } }, 400, /vencimento/],
    [{ ...CHANGE, prorrogacaoVencimento: { dataVencimento: '2027-01-12' } }, 400, /limite/],
    [{ ...CHANGE, ...DUE_DAY }, 400, /Multa/],
    [{ ...CHANGE, multa: { tipoMulta: 2, dataMulta: '2027-02-01', valorMulta: 2 } }, 400, /Multa/],
  ],
  inter: [
    [{}, 400, /vencimento ou o valor/],
    [{ dataVencimento: '2026-12-20', numDiasAgenda: 3 }, 400, /numDiasAgenda/],
    [{ dataVencimento: '20/12/2026' }, 400, /dataVencimento/],
    [{ dataVencimento: '2026-11-15' }, 400, /dataVencimento/],
    [{ dataVencimento: '2026-12-10' }, 400, /alterado/],
  ],
} as const;

for (const profile of ['sicoob', 'inter'] as const) {
  test(`${profile} changes the due day of an open boleto, and refuses other changes with the reason`, async t => {
    const psp = await startPsp({ profile, clock });
    const { client, connections } = open(psp);
    t.after(async () => {
      connections.stop();
      await psp.stop();
    });
    const fine = { tipoMulta: 2, dataMulta: '2026-12-11', valorMulta: 2, dataLimitePagamento: '2027-01-10' };
    const body = profile === 'sicoob' ? { ...SICOOB, ...fine } : INTER;
    const made = await client.call({ method: 'POST', resource: 'boletos', body });
    assert(made.kind === 'ok');
    const code = (made.body as { codigoSolicitacao?: string }).codigoSolicitacao ?? psp.state().titles[0]!.number;
    const patch = (change: object, id = code) =>
      client.call({ method: 'PATCH', resource: 'boletos', path: [id], body: change });
    const read = () => client.call({ method: 'GET', resource: 'boletos', path: [code] });
    if (profile === 'inter') {
      const early = await patch({ dataVencimento: '2026-12-20' });
      assert(early.kind === 'refused', 'not before it is registered');
      await read();
    }
    for (const [wrong, status, message] of changes[profile]) {
      const answer = await patch(wrong);
      assert(answer.kind === 'refused', JSON.stringify([wrong, answer]));
      assert.deepEqual([answer.status, message.test(answer.message)], [status, true], answer.message);
    }
    const [before] = psp.state().titles;
    assert.equal((await patch({ ...CHANGE, ...DUE_DAY }, '404')).kind, 'refused');
    if (profile === 'sicoob') {
      const multa = { tipoMulta: 2, dataMulta: '2026-12-21', valorMulta: 2 };
      assert.partialDeepStrictEqual(await patch({ ...CHANGE, multa }), { kind: 'ok', status: 204 });
      assert.equal((await patch({ ...CHANGE, ...DUE_DAY })).kind, 'ok');
    } else {
      const taken = await patch({ dataVencimento: '2026-12-20' });
      assert.partialDeepStrictEqual(taken, { kind: 'ok', status: 202, body: { status: 'PROCESSANDO' } });
      assert(taken.kind === 'ok');
      const { codigoEdicao } = taken.body as { codigoEdicao: string };
      assert.equal((await patch({ dataVencimento: '2026-12-21' })).kind, 'refused', 'one at a time');
      const edit = () => client.call({ method: 'GET', resource: 'boletos', path: ['edicao', codigoEdicao] });
      assert.partialDeepStrictEqual(await edit(), { body: { status: 'PROCESSANDO' } });
      assert.partialDeepStrictEqual(await edit(), { body: { status: 'SUCESSO' } });
    }
    const [after] = psp.state().titles;
    assert.equal(after!.dueOn, '2026-12-20');
    assert.notEqual(after!.line, before!.line);
    await psp.payTitle({ number: after!.number });
    const late = await patch(profile === 'sicoob' ? { ...CHANGE, ...DUE_DAY } : { dataVencimento: '2026-12-30' });
    assert.equal(late.kind, 'refused', 'a paid boleto is not changed');
  });
}
