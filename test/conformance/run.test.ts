import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(path.join(tmpdir(), 'trilho-conformance-'));
after(() => rmSync(folder, { recursive: true }));

/** The worked example of Itaú's manual, in the form of the reference data. */
const SLIP = {
  bank: '341',
  inputs: {
    valor: '123.45',
    data_vencimento: '2002-05-01',
    agencia: '0057',
    conta_corrente: '12345',
    carteira: '110',
    nosso_numero: '12345678',
  },
  campoLivre: '1101234567880057123457000',
  barcode: '34196166700000123451101234567880057123457000',
  linhaDigitavel: '34191.10121 34567.880058 71234.570001 6 16670000012345',
};

function run(slip: object, ...args: string[]) {
  const write = (file: string, data: object) => writeFileSync(path.join(folder, file), JSON.stringify(data));
  write('boleto-vectors.json', { vectors: [slip] });
  write('brcode-vectors.json', { valid: [], invalid: [] });
  write('cobv-due-date-examples.json', { examples: [] });
  write('tax-id-vectors.json', { cpfValid: [], cpfInvalid: [], cnpjValid: [], cnpjInvalid: [] });
  return spawnSync(process.execPath, [path.join(import.meta.dirname, 'run.ts'), ...args], { encoding: 'utf8' });
}

test('matching data exits with 0', () => {
  const { status, stdout } = run(SLIP, folder);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^boleto-vectors\.json +barcode and line +1 +1$/m);
  assert.match(stdout, /^boleto-vectors\.json +free field +1 +1$/m);
});

test('differing data exits with 1 and is named', () => {
  const { status, stdout } = run({ ...SLIP, campoLivre: '1101234567890057123457000' }, folder);
  assert.equal(status, 1, stdout);
  assert.match(stdout, /^2 failed:$/m);
});

test('missing data exits with 1, and a missing folder with 2', () => {
  run(SLIP, folder);
  rmSync(path.join(folder, 'brcode-vectors.json'));
  const alone = spawnSync(process.execPath, [path.join(import.meta.dirname, 'run.ts'), folder], { encoding: 'utf8' });
  assert.equal(alone.status, 1, alone.stdout);
  assert.match(alone.stdout, /brcode-vectors\.json.*this file is not there/);
  assert.equal(run(SLIP).status, 2);
});
