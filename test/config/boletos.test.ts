// The section `boletos` of the file of TRILHO_CONFIG: what it gives, and that every fault in it has its path and no value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CNAB_BANKS } from '@trilho/cnab';
import { readConfig } from '../../src/config/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { railFor, railNamed } from '../../src/rails/rails.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';
import { silentLog } from '../harness/log.ts';

const LIVE = { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' };
const filesOf = (boletos: unknown) => ({ 'trilho.json': JSON.stringify({ boletos }) });
const configOf = (boletos: unknown) => readConfig(LIVE, readFrom(filesOf(boletos)));
const faultsIn = (boletos: unknown) => faultsOf(LIVE, filesOf(boletos));
const railsOf = (...boletos: unknown[]) => liveRails(configOf(boletos), { clock: systemClock, log: silentLog }).rails;

test('every bank has an agreement that can be configured', () => {
  for (const bank of CNAB_BANKS.keys()) {
    const rail = railFor(railsOf(agreementEntry(bank)), 'boleto', 'acme');
    assert.equal(rail.name, `bank${bank}:main`);
    assert.ok(rail.numbers && rail.files);
  }
});

test('a document is kept without its punctuation', () => {
  const [entry] = configOf([agreementEntry('756', { holderDocument: '11.222.333/0001-81' })]).boletos;
  assert.equal(entry?.holderDocument, '11222333000181');
});

test('an account has its own agreement, the others have the first one without accounts, and a former one gets no charges', () => {
  const rails = railsOf(
    agreementEntry('756', { name: 'old', former: true }),
    agreementEntry('341', { name: 'own', accounts: ['acme'] }),
    agreementEntry('237', { name: 'first' }),
    agreementEntry('001', { name: 'second' }),
  );
  assert.equal(railFor(rails, 'boleto', 'acme').name, 'own');
  assert.equal(railFor(rails, 'boleto', 'other').name, 'first');
  assert.equal(railFor(rails, 'pix', 'acme').name, 'absent');
  for (const name of ['old', 'second']) assert.equal(railNamed(rails, 'boleto', name).name, name);
});

test('a field of the wrong form is reported with its path and without its value', () => {
  const wrong = {
    ...agreementEntry('756', { name: 'sandbox', holderDocument: '11222333000182', agency: '43-27' }),
    maxTitles: 24_001,
    colour: 'hunter2',
  };
  assert.deepEqual(faultsIn([wrong]), [
    'TRILHO_CONFIG: boletos[0].colour is not a known field.',
    'TRILHO_CONFIG: boletos[0].name must be a name such as efi or efi:main, and none of sandbox, pix-key, absent.',
    'TRILHO_CONFIG: boletos[0].holderDocument must be a CPF or a CNPJ with right check digits.',
    'TRILHO_CONFIG: boletos[0].agency must be 1 to 5 digits.',
    'TRILHO_CONFIG: boletos[0].maxTitles must be at most 24000.',
  ]);
  assert.deepEqual(faultsIn([agreementEntry('756'), agreementEntry('756')]), [
    'TRILHO_CONFIG: boletos must name each agreement differently.',
  ]);
});

test('a value that the bank cannot use is reported with its path', () => {
  const refused = (changes: Record<string, unknown>, message: string) =>
    assert.throws(() => railsOf(agreementEntry('341'), { ...agreementEntry('756'), ...changes }), {
      name: 'StartError',
      message: `boletos[1].${message}`,
    });
  refused({ bank: '000' }, `bank must be one of ${[...CNAB_BANKS.keys()].join(', ')}.`);
  refused({ modality: '1' }, 'modality must be 2 digits.');
  refused({ agencyDigit: undefined }, 'agencyDigit is required for files of this bank.');
  refused({ quirks: { 'P.colour': 'x' } }, 'quirks.P.colour names no field of P.');
  refused({ firstNumber: '0' }, 'firstNumber must be at least 1.');
  refused({ firstNumber: '10000000' }, 'firstNumber must have at most 7 digits at this bank.');
  refused({ lastNumber: '10000000' }, 'lastNumber must have at most 7 digits at this bank.');
  refused(
    agreementEntry('033', { accountNumber: '123456789012' }),
    'bank cannot take this agreement: conta (P, columns 23 to 31) has more than 9 digits.',
  );
  refused({ firstNumber: '5', lastNumber: '4' }, 'lastNumber must not be below firstNumber.');
});

test('two entries of one agreement with a bank must not assign the same numbers, and both are named', () => {
  const overlap = (one: Partial<AgreementEntry>, other: Partial<AgreementEntry>, bank = '756') =>
    railsOf(
      agreementEntry('341'),
      agreementEntry(bank, { name: 'one', ...one }),
      agreementEntry(bank, { name: 'two', ...other }),
    );
  const refused = (numbers: string) => ({
    name: 'StartError',
    message:
      `boletos[1] and boletos[2] are one agreement with the bank, and both would give the numbers ${numbers}: ` +
      'set firstNumber and lastNumber so that their ranges do not overlap.',
  });
  assert.throws(() => overlap({}, {}), refused('1 to 9999999'));
  assert.throws(() => overlap({ lastNumber: '500' }, { firstNumber: '500' }), refused('500 to 500'));
  // At Sicoob a number is one boleto of the client in every modality; leading zeros do not make another client.
  assert.throws(() => overlap({}, { modality: '03', beneficiaryCode: '0042971' }), refused('1 to 9999999'));
  assert.throws(() => overlap({ accounts: ['acme'] }, {}, '001'), refused('1 to 9999999999'));
  overlap({ lastNumber: '499' }, { firstNumber: '500' });
  overlap({}, { beneficiaryCode: '42972' });
  overlap({}, { carteira: '21' }, '237');
  overlap({}, { former: true });
});
