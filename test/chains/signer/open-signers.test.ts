// Signers at start: valid ones are opened, and each fault is one sentence that names its setting.
import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { openSigners } from '../../../src/chains/signer/open-signers.ts';
import { signRecoverable } from '../../../src/chains/signer/recoverable.ts';
import type { SignerSettings } from '../../../src/chains/signer/signer-settings.ts';
import { readConfig } from '../../../src/config/config.ts';
import { StartError } from '../../../src/lib/errors.ts';
import { ownFolder } from '../../harness/process.ts';
import { SHORT_KEY_VECTOR, VECTOR_ADDRESS } from './vectors.ts';

test('keystores are opened by their names, and all faults are reported at once with their settings', async t => {
  const folder = await ownFolder(t);
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string) => writeFile(at(name), text, { mode: 0o600 });
  await write('hot.json', JSON.stringify(SHORT_KEY_VECTOR.keystore));
  await write('other.json', JSON.stringify({ ...SHORT_KEY_VECTOR.keystore, address: VECTOR_ADDRESS }));
  await write('open.json', '{}');
  await chmod(at('open.json'), 0o644);
  await write('password', `${SHORT_KEY_VECTOR.password}\n`);
  await write('wrong', 'hunter2');
  const hot = { name: 'hot', kind: 'keystore', file: at('hot.json'), passwordFile: at('password') } as const;

  // The settings as they are read from the configuration.
  const { signers: settings } = readConfig({ TRILHO_MODE: 'live', TRILHO_SIGNERS: JSON.stringify([hot]) });
  const open = (await openSigners(settings)).get('hot');
  assert.ok(open?.signer.kind === 'digest' && open.evm !== undefined);
  await signRecoverable(open.signer, new Uint8Array(32).fill(1));
  for (const address of [open.evm, open.evm.toLowerCase(), open.tron ?? '']) {
    assert.equal((await openSigners([{ ...hot, address }])).size, 1, address);
  }

  const faulty: [Partial<SignerSettings>, string][] = [
    [{ file: at('none') }, 'file cannot be read (ENOENT)'],
    [{ file: folder }, 'file is a folder'],
    [{ file: at('open.json') }, 'file can be read by every user of this machine; take that away with chmod o-r'],
    [{ file: at('password') }, 'file is not a keystore file'],
    [{ file: at('other.json') }, 'file names an address that is not that of its key'],
    [{ passwordFile: at('none') }, 'passwordFile cannot be read (ENOENT)'],
    [{ passwordFile: at('wrong') }, 'passwordFile is not the password of the keystore'],
    [{ address: VECTOR_ADDRESS }, `address is not that of the key, ${open.evm}`],
    [{ address: 'TA25SJ2Uo4NQk2SozYKmZ4wQnpq5T7FNBZ' }, `address is not that of the key, ${open.tron}`],
    [{ address: 'TA25SJ2Uo4NQk2SozYKmZ4wQnpq5T7FNBY' }, 'address does not match its checksum: a character is wrong'],
  ];
  const entries = faulty.map(([change], index) => ({ ...hot, ...change, name: `hot-${index}` }) as SignerSettings);
  await assert.rejects(openSigners([hot, ...entries]), (error: unknown) => {
    assert.ok(error instanceof StartError);
    assert.deepEqual(
      error.message.split('\n'),
      faulty.map(([, fault], index) => `signers[${index + 1}].${fault}.`),
    );
    return true;
  });
});
