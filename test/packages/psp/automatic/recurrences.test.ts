// Recurrences at the simulated PSP: what it refuses, what may be changed, how they end, and its lists.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  ATTEMPT_TRANSITIONS,
  COBR_TRANSITIONS,
  REC_TRANSITIONS,
  SOLICREC_TRANSITIONS,
} from '../../../../packages/psp/src/automatic/states.ts';
import { newTxid } from '../caller.ts';
import { recBody, requestBody, startAutomatic, VARIABLE } from './caller.ts';

const OPERATION = 'https://pix.bcb.gov.br/api/v2/error/RecOperacaoInvalida';

test('tables of transitions name every state, and lead only to existing states', () => {
  for (const table of [REC_TRANSITIONS, SOLICREC_TRANSITIONS, COBR_TRANSITIONS, ATTEMPT_TRANSITIONS]) {
    const reached = Object.values(table).flatMap(next => next.map(({ to }: { to: string }) => to));
    const states = Object.keys(table);
    assert.deepEqual([...new Set(reached)].sort(), states.slice(1).sort(), 'all but the first can be reached');
  }
});

test('README.md draws the tables, with the derived parts', () => {
  const readme = readFileSync('packages/psp/README.md', 'utf8');
  const drawn = [...readme.matchAll(/```mermaid\nstateDiagram-v2\n(.*?)```/gs)].map(([, lines = '']) =>
    lines
      .split('\n')
      .filter(line => line.includes('-->') && !line.includes('[*]'))
      .map(line =>
        line
          .trim()
          .replace(/^(\w+ --> \w+)(?:(?!derived).)*(derived)?.*$/, '$1 $2')
          .trim(),
      )
      .sort(),
  );
  type Table = Readonly<Record<string, readonly { to: string; derived?: true }[]>>;
  const tables: Table[] = [REC_TRANSITIONS, SOLICREC_TRANSITIONS, COBR_TRANSITIONS, ATTEMPT_TRANSITIONS];
  const lines = (table: Table) =>
    Object.entries(table).flatMap(([from, next]) =>
      next.map(({ to, derived }) => `${from} --> ${to}${derived ? ' derived' : ''}`),
    );
  assert.deepEqual(
    drawn,
    tables.map(table => lines(table).sort()),
  );
});

test('a recurrence that breaks the norm is refused with every violation', async t => {
  const { call } = await startAutomatic(t);
  const day = (dataInicial: string, dataFinal?: string) => ({
    calendario: { dataInicial, ...(dataFinal && { dataFinal }), periodicidade: 'MENSAL' },
  });
  const vinculo = (more: object) => ({
    vinculo: { contrato: '1', devedor: { cpf: '45164632481', nome: 'Fulano' }, ...more },
  });
  const wrong: readonly [object, RegExp][] = [
    [day('2030-12-01'), /dataInicial é anterior à data de criação/],
    [day('2030-12-10', '2030-12-09'), /dataFinal é anterior ao campo/],
    [{ valor: { valorRec: '35.00', valorMinimoRecebedor: '5.00' } }, /Ambos os campos/],
    [{ valor: { valorRec: '35' } }, /valorRec não respeita/],
    [vinculo({ contrato: 'x'.repeat(36) }), /contrato não respeita/],
    [vinculo({ objeto: 'x'.repeat(36) }), /objeto não respeita/],
    [vinculo({ devedor: { nome: 'Fulano' } }), /cpf ou cnpj/],
    [vinculo({ devedor: { cpf: '45164632481' } }), /nome é obrigatório/],
    [{ calendario: { dataInicial: '2030-12-10', periodicidade: 'QUINZENAL' } }, /periodicidade não respeita/],
    [{ politicaRetentativa: undefined }, /politicaRetentativa é obrigatório/],
    [{ recebedor: { convenio: 'x'.repeat(61) } }, /convenio não respeita/],
    [{ loc: 500_999 }, /inexiste/],
    [{ loc: '1' }, /loc não respeita/],
    [{ ativacao: { tipoJornada: 'JORNADA_3' } }, /tipoJornada não existe/],
    [{ chave: 'recebedor@example.com' }, /chave não existe/],
  ];
  for (const [more, why] of wrong) {
    const { status, headers, json } = await call('POST', '/rec', recBody(more));
    assert.deepEqual([status, json.type, headers['content-type']], [400, OPERATION, 'application/problem+json']);
    assert.match(json.violacoes[0].razao, why);
    assert.match(json.violacoes[0].propriedade, /^rec\./);
  }
  const { json } = await call('POST', '/rec', { valor: { valorRec: 1 }, politicaRetentativa: 'TALVEZ' });
  assert.equal(json.violacoes.length, 4);
  assert.equal((await call('GET', '/rec?inicio=2030-12-01T00:00:00Z&fim=2030-12-02T15:00:00Z')).json.recs.length, 0);
});

test('name, location, first day and txid may change, the middle two only before the approval', async t => {
  const { call, psp } = await startAutomatic(t);
  const [one, two] = [(await call('POST', '/locrec')).json, (await call('POST', '/locrec')).json];
  const { idRec } = (await call('POST', '/rec', recBody({ loc: one.id, ...VARIABLE }))).json;
  const other = (await call('POST', '/rec', recBody())).json.idRec;
  assert.equal((await call('PATCH', `/rec/${other}`, { loc: one.id })).status, 400, 'the location is in use');
  const txid = newTxid();
  const changed = await call('PATCH', `/rec/${idRec}`, {
    vinculo: { devedor: { nome: 'Fulano da Silva' } },
    loc: two.id,
    calendario: { dataInicial: '2030-12-11' },
    ativacao: { dadosJornada: { txid } },
  });
  assert.equal(changed.status, 200);
  const { vinculo, calendario, loc, ativacao } = changed.json;
  assert.deepEqual([vinculo.devedor.nome, calendario.dataInicial, loc.id], ['Fulano da Silva', '2030-12-11', two.id]);
  assert.equal(ativacao.dadosJornada.txid, txid);
  assert.equal((await call('GET', `/locrec/${one.id}`)).json.idRec, undefined);
  assert.equal((await call('PATCH', `/rec/${other}`, { loc: one.id })).status, 200, 'the location is free again');
  for (const wrong of [{ valor: { valorRec: '1.00' } }, { status: 'APROVADA' }, { status: 'CANCELADA', loc: two.id }]) {
    assert.equal((await call('PATCH', `/rec/${idRec}`, wrong)).status, 400);
  }
  psp.automatic.approve({ idRec });
  const late = await call('PATCH', `/rec/${idRec}`, { loc: two.id, calendario: { dataInicial: '2030-12-12' } });
  assert.deepEqual([late.status, late.json.violacoes.length], [400, 2]);
  assert.match(late.json.violacoes[0].razao, /somente pode ser alterado .* CRIADA/);
  assert.equal((await call('PATCH', `/rec/${idRec}`, { vinculo: { devedor: { nome: 'Fulano' } } })).status, 200);
  assert.equal((await call('PATCH', `/rec/${idRec}`, { status: 'CANCELADA' })).json.status, 'CANCELADA');
  const ended = await call('PATCH', `/rec/${idRec}`, { vinculo: { devedor: { nome: 'F' } } });
  assert.match(ended.json.violacoes[0].razao, /expirada, cancelada ou rejeitada/);
});

test('a recurrence that is canceled takes its request and its later charges with it, not those of today', async t => {
  const { approved, call, clock, newRec, psp, scheduled } = await startAutomatic(t);
  const fresh = await newRec();
  const { idSolicRec } = (await call('POST', '/solicrec', requestBody(fresh))).json;
  await call('PATCH', `/rec/${fresh}`, { status: 'CANCELADA' });
  assert.equal((await call('GET', `/solicrec/${idSolicRec}`)).json.status, 'CANCELADA');

  const [later, today] = [await approved(), await approved()];
  const [dropped, kept] = [await scheduled(later), await scheduled(today)];
  psp.automatic.cancel({ idRec: later, codigo: 'ACCL', solicitante: 'PSP_PAGADOR' });
  const { status, encerramento } = (await call('GET', `/cobr/${dropped}`)).json;
  assert.deepEqual([status, encerramento.cancelamento.solicitante], ['CANCELADA', 'PSP_PAGADOR']);
  psp.automatic.setAccount({ idRec: today, balance: '0.00' });
  clock.set('2030-12-10T12:00:00Z');
  psp.automatic.cancel({ idRec: today });
  psp.automatic.setAccount({ idRec: today, balance: null });
  clock.set('2030-12-11T00:00:00Z');
  assert.equal((await call('GET', `/cobr/${kept}`)).json.status, 'CONCLUIDA');
  const { json } = await call('GET', `/rec/${today}`);
  assert.deepEqual(json.encerramento.cancelamento.codigo, 'SLDB');
});

test('a recurrence ends after its last day, or when a test ends it', async t => {
  const { approved, call, clock, newRec, psp } = await startAutomatic(t);
  const until = { calendario: { dataInicial: '2030-12-10', dataFinal: '2030-12-31', periodicidade: 'MENSAL' } };
  const [waiting, active, other] = [await newRec(until), await approved(until), await newRec()];
  clock.set('2031-01-01T02:59:00Z');
  assert.equal((await call('GET', `/rec/${active}`)).json.status, 'APROVADA');
  clock.set('2031-01-01T03:00:00Z');
  for (const idRec of [waiting, active]) assert.equal((await call('GET', `/rec/${idRec}`)).json.status, 'EXPIRADA');
  assert.equal(psp.automatic.expire(other).status, 'EXPIRADA');
  assert.throws(() => psp.automatic.expire(other), { code: 'not_open' });
});

test('lists have filters and pages, and show only the client’s own objects', async t => {
  const { approved, call, newRec, psp } = await startAutomatic(t);
  const company = { contrato: '2', devedor: { cnpj: '12ABC34501DE35', nome: 'Empresa SA' } };
  const mine = [await approved(), await newRec({ vinculo: company, recebedor: { convenio: 'Master' } })];
  await psp.addClient({ clientId: 'other', clientSecret: 's', keys: ['other@example.com'] });
  const at = 'inicio=2030-12-02T00:00:00Z&fim=2030-12-02T15:00:00Z';
  const ids = async (query: string) =>
    (await call('GET', `/rec?${at}${query}`)).json.recs.map(({ idRec }: { idRec: string }) => idRec);
  assert.deepEqual(await ids(''), mine);
  assert.deepEqual(await ids('&status=APROVADA'), mine.slice(0, 1));
  assert.deepEqual(await ids('&cnpj=12ABC34501DE35'), mine.slice(1));
  assert.deepEqual(await ids('&locationPresente=false'), mine.slice(1));
  assert.deepEqual(await ids('&paginacao.itensPorPagina=1&paginacao.paginaAtual=1'), mine.slice(1));
  const { parametros } = (await call('GET', `/rec?${at}&convenio=Master`)).json;
  assert.deepEqual([parametros.recebedor, parametros.paginacao.quantidadeTotalDeItens], [{ convenio: 'Master' }, 1]);
  const both = await call('GET', `/rec?${at}&cpf=45164632481&cnpj=12ABC34501DE35`);
  assert.deepEqual([both.status, both.json.type], [400, 'https://pix.bcb.gov.br/api/v2/error/RecConsultaInvalida']);
  const locations = await call('GET', `/locrec?${at}&idRecPresente=true`);
  assert.deepEqual(
    locations.json.loc.map(({ idRec }: { idRec: string }) => idRec),
    mine.slice(0, 1),
  );
  const { id } = locations.json.loc[0];
  assert.equal((await call('DELETE', `/locrec/${id}/idRec`)).json.idRec, undefined);
  assert.deepEqual(await ids('&locationPresente=true'), []);
  assert.equal((await call('DELETE', '/locrec/1/idRec')).status, 404);
});

test('each kind of object has its own scopes', async t => {
  const { call } = await startAutomatic(t, {
    clients: [{ clientId: 'trilho', clientSecret: 's', keys: [], scopes: ['rec.read', 'cobr.write'] }],
  });
  const at = 'inicio=2030-12-02T00:00:00Z&fim=2030-12-02T15:00:00Z';
  const allowed = [(await call('GET', `/rec?${at}`)).status, (await call('POST', '/cobr', {})).status];
  assert.deepEqual(allowed, [200, 400]);
  const calls = [
    ['POST', '/rec'],
    ['GET', `/cobr?${at}`],
    ['POST', '/solicrec'],
    ['POST', '/locrec'],
    ['GET', '/webhookrec'],
    ['PUT', '/webhookcobr'],
  ] as const;
  for (const [method, path] of calls) {
    const { status, json } = await call(method, path, method === 'GET' ? undefined : {});
    assert.deepEqual(
      [status, json.type],
      [403, 'https://pix.bcb.gov.br/api/v2/error/AcessoNegado'],
      `${method} ${path}`,
    );
  }
});
