// PKCS#12 with AES-256 and PBKDF2, which OpenSSL 3 reads without its legacy provider.
import { webcrypto } from 'node:crypto';
import type * as asn1 from 'asn1js';
import { AuthenticatedSafe, CertBag, PFX, PKCS8ShroudedKeyBag, PrivateKeyInfo, SafeBag, SafeContents } from 'pkijs';
import type { Made } from './make.ts';

const SHROUDED_KEY_BAG = '1.2.840.113549.1.12.10.1.2';
const CERT_BAG = '1.2.840.113549.1.12.10.1.3';
const PASSWORD_INTEGRITY = 0;
const PASSWORD_PRIVACY = 1;
const ITERATIONS = 2048;

export async function makePkcs12(made: Made, password: string): Promise<Buffer> {
  const secret = Uint8Array.from(Buffer.from(password)).buffer;
  const encryption = {
    password: secret,
    contentEncryptionAlgorithm: { name: 'AES-CBC', length: 256 },
    hmacHashAlgorithm: 'SHA-256',
    iterationCount: ITERATIONS,
  };
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', made.privateKey);
  const keyBag = new PKCS8ShroudedKeyBag({ parsedValue: PrivateKeyInfo.fromBER(pkcs8) });
  await keyBag.makeInternalValues(encryption as never);
  const safe = new AuthenticatedSafe({
    parsedValue: {
      safeContents: [
        {
          privacyMode: PASSWORD_PRIVACY,
          value: new SafeContents({
            safeBags: [
              new SafeBag({ bagId: SHROUDED_KEY_BAG, bagValue: keyBag }),
              new SafeBag({ bagId: CERT_BAG, bagValue: new CertBag({ parsedValue: made.certificate }) }),
            ],
          }),
        },
      ],
    },
  });
  await safe.makeInternalValues({ safeContents: [encryption] } as never);
  const pfx = new PFX({ parsedValue: { integrityMode: PASSWORD_INTEGRITY, authenticatedSafe: safe } });
  await pfx.makeInternalValues({
    password: secret,
    iterations: ITERATIONS,
    pbkdf2HashAlgorithm: 'SHA-256',
    hmacHashAlgorithm: 'SHA-256',
  } as never);
  return Buffer.from((pfx.toSchema() as asn1.Sequence).toBER(false));
}
