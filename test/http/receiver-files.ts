// The files of the receiver's certificate, and the log line when they do not match.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { makeCertificate } from '../../packages/psp/src/certificates/make.ts';
import type { TlsFiles } from '../../src/http/receiver-tls.ts';

export function filesIn(folder: string): TlsFiles {
  return { certificateFile: path.join(folder, 'receiver.pem'), privateKeyFile: path.join(folder, 'receiver.key') };
}

/** Writes a certificate with this expiry into the files. */
export async function writePair({ certificateFile, privateKeyFile }: TlsFiles, notAfter: Date): Promise<void> {
  const { certificatePem, keyPem } = await makeCertificate({ commonName: 'localhost', use: 'server', notAfter });
  await writeFile(certificateFile, certificatePem);
  await writeFile(privateKeyFile, keyPem);
}

/** The log line that the key cannot be read. */
export function assertToldInLog(lines: readonly string[]): void {
  const line = lines
    .map(text => JSON.parse(text))
    .find(({ msg }) => /reading the receiver's certificate failed/.test(msg));
  assert.equal(line?.level, 'warn');
  assert.match(JSON.stringify(line), /receiver\.privateKeyFile holds no private key/);
}
