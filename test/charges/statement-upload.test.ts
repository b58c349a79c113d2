// Statements over HTTP: a file is imported, recorded and counted once, and a file that is not a statement is refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { MAX_STATEMENT_BYTES } from '../../src/rails/statement/statement.ts';
import { silentLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  const settings = {
    TRILHO_MODE: 'live',
    TRILHO_PIX_KEY: 'financeiro@example.com',
    TRILHO_PIX_NAME: 'Padaria São João',
    TRILHO_PIX_CITY: 'Belo Horizonte',
  };
  const { rails } = liveRails(readConfig(settings), { clock: systemClock, log: silentLog });
  service = await startService({ mode: 'live', rails });
});
after(() => service.stop());

const upload = (body: string, type = 'text/csv', query = '') =>
  service.send(`/statements${query}`, { method: 'POST', body, headers: { 'content-type': type } });

const CSV = `Data;Valor;Descrição
10/11/2026;159,90;PIX RECEBIDO E9999999920261110130000000000001
11/11/2026;-20,00;TARIFA
`;

test('a statement is imported once, and each upload is recorded', async () => {
  const first = await upload(CSV);
  assert.equal(first.status, 201, first.text);
  assert.equal(first.json.statement.counts.unmatched, 1);
  assert.equal(first.json.statement.counts.outgoing, 1);
  const again = await upload(CSV, 'text/csv; charset=utf-8');
  assert.equal(again.json.statement.counts.known, 1);
  assert.equal(again.json.statement.digest, first.json.statement.digest);
  const { statements, total } = (await service.get('/statements')).json;
  assert.equal(total, 2);
  assert.deepEqual(statements[0], again.json.statement);
  assert.match(statements[0].importedBy, /^key:/);
  const unmatched = (await service.get('/payments/unmatched')).json.payments;
  assert.equal(unmatched.length, 1);
  assert.equal(unmatched[0].amountCents, 15_990);
});

test('lines that match no charge are kept in batches, each once', async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => {
    const number = String(index).padStart(11, '0');
    // The last ten repeat lines before them.
    return `10/11/2026;${10 + (index % 7)},00;PIX RECEBIDO E99999999202611101400${index < 990 ? number : '00000000007'}`;
  });
  const file = `Data;Valor;Descrição\n${lines.join('\n')}\n`;
  const { statement } = (await upload(file)).json;
  assert.equal(
    statement.counts.unmatched + statement.counts.known + statement.counts.duplicate,
    1_000,
    JSON.stringify(statement),
  );
  const kept = await service.sql<{ rows: number; transactions: number }>(
    `select count(*)::int as rows, count(distinct xmin::text)::int as transactions
       from unmatched_receipts where reference like 'E99999999202611101400%'`,
  );
  assert.equal(kept[0]?.rows, statement.counts.unmatched + statement.counts.duplicate);
  assert.ok(kept[0]!.transactions <= 20, `${kept[0]?.transactions} transactions`);
  assert.equal((await upload(file)).json.statement.counts.known, 1_000);
});

test('a file that is not a statement is refused, and nothing is recorded', async () => {
  const before = (await service.get('/statements')).json.total;
  for (const [body, type, status] of [
    ['', 'text/csv', 400],
    ['not a statement', 'application/x-ofx', 400],
    ['{}', 'application/json', 415],
    [CSV, 'text/plain', 415],
    ['x'.repeat(MAX_STATEMENT_BYTES + 1), 'text/csv', 413],
  ] as const) {
    const refused = await upload(body, type);
    assert.equal(refused.status, status, `${type}: ${refused.text}`);
  }
  assert.equal((await upload(CSV, 'text/csv', '?debitsHaveMinus=yes')).status, 400);
  assert.equal((await service.get('/statements')).json.total, before);
});
