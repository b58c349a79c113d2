// An entry of `signers` for the key of tests, in a keystore in a folder of its own.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { encryptKeystore } from '../../src/chains/signer/keystore.ts';
import { PRIVATE_KEY, SENDER } from './evm.ts';

const PASSWORD = 'a password of a test';

export async function keystoreSigner(stops: (() => unknown)[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'trilho-signer-'));
  stops.push(() => rm(folder, { recursive: true }));
  const [file, passwordFile] = [path.join(folder, 'hot.json'), path.join(folder, 'password')];
  await writeFile(file, await encryptKeystore(PRIVATE_KEY, PASSWORD));
  await writeFile(passwordFile, `${PASSWORD}\n`);
  await Promise.all([chmod(file, 0o600), chmod(passwordFile, 0o600)]);
  return { name: 'hot', kind: 'keystore', file, passwordFile, address: SENDER };
}
