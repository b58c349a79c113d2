// Keys in an HSM, tested with SoftHSM (Debian: softhsm2). The package pkcs11js is native and no dependency: the test looks
// for it in the folder PKCS11JS_FOLDER, or beside the project.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createPrivateKey as newKeyObject, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { createPrivateKey, publicKeyOf } from '../../../src/chains/signer/key-signer.ts';
import { openSigners } from '../../../src/chains/signer/open-signers.ts';
import { CK } from '../../../src/chains/signer/pkcs11-module.ts';
import { signRecoverable } from '../../../src/chains/signer/recoverable.ts';
import { SignerRefused, SignerSilent } from '../../../src/chains/signer/signer.ts';
import { StartError } from '../../../src/lib/errors.ts';
import { ownFolder } from '../../harness/process.ts';

const PIN = '4321';
const packageFolder = process.env['PKCS11JS_FOLDER'];
const module = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so'].find(file => existsSync(file));
// biome-ignore lint/suspicious/noExplicitAny: pkcs11js has types only where it is installed.
const pkcs11js: any = loadPackage();

function loadPackage() {
  try {
    return createRequire(packageFolder ? path.join(packageFolder, 'package.json') : import.meta.url)('pkcs11js');
  } catch {
    return undefined;
  }
}

const refusalIn = async (signers: Parameters<typeof openSigners>[0]): Promise<string> => {
  const error = await openSigners(signers).then(
    () => assert.fail('the signers were opened'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StartError, String(error));
  return error.message;
};

test('without pkcs11js one sentence says how to install it', async t => {
  const folder = await ownFolder(t);
  await writeFile(path.join(folder, 'pin'), PIN, { mode: 0o600 });
  const signer = { name: 'a', kind: 'pkcs11', module: 'x.so', token: 'x', key: 'x', packageFolder: folder } as const;
  assert.equal(
    await refusalIn([{ ...signer, pinFile: path.join(folder, 'pin') }]),
    'signers[0].packageFolder has no package pkcs11js: npm install pkcs11js@2.1.7 --ignore-scripts=false, which needs a C++ compiler, make and Python; see docs/signers.md.',
  );
  assert.match(
    await refusalIn([{ ...signer, pinFile: 'none' }]),
    /^signers\[0\]\.pinFile cannot be read \(ENOENT\)\.$/,
  );
});

const isAbsent = module === undefined || pkcs11js === undefined;
const skip =
  isAbsent && 'it needs SoftHSM (apt-get install softhsm2) and pkcs11js (PKCS11JS_FOLDER); see docs/signers.md';

type Settings = Extract<Parameters<typeof openSigners>[0][number], { kind: 'pkcs11' }>;

/** A token with a key that was imported and one that was made in it, and the settings for both. */
async function setUp(folder: string) {
  const file = (name: string) => path.join(folder, name);
  await mkdir(file('tokens'));
  await writeFile(file('softhsm2.conf'), `directories.tokendir = ${file('tokens')}\nlog.level = ERROR\n`);
  // SoftHSM reads it when it is initialised.
  process.env['SOFTHSM2_CONF'] = file('softhsm2.conf');
  run('softhsm2-util', '--init-token', '--free', '--label', 'payouts', '--pin', PIN, '--so-pin', '8765');
  const imported = createPrivateKey();
  await writeFile(file('key.pem'), pkcs8Of(imported));
  const into = ['--token', 'payouts', '--pin', PIN, '--label', 'imported', '--id', 'beef'];
  run('softhsm2-util', '--import', file('key.pem'), ...into);
  const madePublicKey = generate('made', '06052b8104000a');
  generate('p256', '06082a8648ce3d030107');
  await writeFile(file('pin'), `${PIN}\n`, { mode: 0o600 });
  await writeFile(file('wrong'), '9999', { mode: 0o600 });
  const base = { kind: 'pkcs11', module: module ?? '', token: 'payouts', pinFile: file('pin') } as const;
  const common = { ...base, ...(packageFolder !== undefined && { packageFolder }) };
  const byId: Settings = { ...common, name: 'by-id', keyId: 'beef' };
  const byLabel: Settings = { ...common, name: 'by-label', key: 'made' };
  return { imported, madePublicKey, byId, byLabel, wrongPin: file('wrong') };
}

/** A session of the test itself. */
function session() {
  const pkcs11 = new pkcs11js.PKCS11();
  pkcs11.load(module);
  const open = () => {
    const slot = pkcs11
      .C_GetSlotList(true)
      .find((found: Buffer) => /^payouts/.test(pkcs11.C_GetTokenInfo(found).label));
    return { slot, handle: pkcs11.C_OpenSession(slot, pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION) };
  };
  return { pkcs11, open };
}

/** Makes a key that never leaves the token, as docs/signers.md describes, and returns its public key. */
function generate(label: string, curve: string): Buffer {
  const { pkcs11, open } = session();
  pkcs11.C_Initialize();
  const { handle } = open();
  pkcs11.C_Login(handle, pkcs11js.CKU_USER, PIN);
  const { CKA_TOKEN, CKA_LABEL, CKA_EC_PARAMS, CKA_EC_POINT, CKA_PRIVATE, CKA_SENSITIVE } = pkcs11js;
  const { CKA_EXTRACTABLE, CKA_SIGN, CKA_VERIFY, CKM_EC_KEY_PAIR_GEN } = pkcs11js;
  const shared = [
    { type: CKA_TOKEN, value: true },
    { type: CKA_LABEL, value: label },
  ];
  const keys = pkcs11.C_GenerateKeyPair(
    handle,
    { mechanism: CKM_EC_KEY_PAIR_GEN },
    [...shared, { type: CKA_VERIFY, value: true }, { type: CKA_EC_PARAMS, value: Buffer.from(curve, 'hex') }],
    [
      ...shared,
      ...[CKA_PRIVATE, CKA_SENSITIVE, CKA_SIGN].map(type => ({ type, value: true })),
      { type: CKA_EXTRACTABLE, value: false },
    ],
  );
  const [point] = pkcs11.C_GetAttributeValue(handle, keys.publicKey, [{ type: CKA_EC_POINT }]);
  const show = () => pkcs11.C_GetAttributeValue(handle, keys.privateKey, [{ type: pkcs11js.CKA_VALUE }]);
  assert.throws(show, /CKR_ATTRIBUTE_SENSITIVE/, 'the key cannot be read');
  pkcs11.C_Finalize();
  return point.value.subarray(2);
}

test('keys in SoftHSM sign, and faults name their setting', { skip }, async t => {
  const { imported, madePublicKey, byId, byLabel, wrongPin } = await setUp(await ownFolder(t));

  await t.test('the numbers of the standard are those of pkcs11js', () => {
    for (const [name, value] of Object.entries(CK)) assert.equal(value, pkcs11js[name], name);
  });

  await t.test('a wrong setting is named', async () => {
    const wrong: [Settings, string][] = [
      [{ ...byId, module: '/dev/null' }, 'module is not a PKCS#11 library that can be loaded'],
      [{ ...byId, token: 'payout' }, 'token is the label of no token that the module has'],
      [{ ...byId, pinFile: wrongPin }, 'pinFile is not taken as the PIN of the token (CKR_PIN_INCORRECT)'],
      [{ ...byId, keyId: 'beefbeef' }, 'keyId names no private key of the token'],
      [{ ...byLabel, key: 'none' }, 'key names no private key of the token'],
      [{ ...byLabel, key: 'p256' }, 'key is not a key on the curve secp256k1'],
      [{ ...byLabel, address: `0x${'1'.repeat(40)}` }, 'address is not that of the key'],
    ];
    for (const [settings, fault] of wrong) {
      const message = await refusalIn([settings]);
      assert.ok(message.startsWith(`signers[0].${fault}`), message);
    }
  });

  const signers = await openSigners([byId, byLabel]);
  const [first, second] = [signers.get('by-id')?.signer, signers.get('by-label')?.signer];
  assert.ok(first?.kind === 'digest' && second?.kind === 'digest');

  await t.test('an imported key and a generated one sign, concurrently and with a low s', async () => {
    assert.deepEqual(Buffer.from(first.publicKey), Buffer.from(publicKeyOf(imported)));
    assert.deepEqual(Buffer.from(second.publicKey), madePublicKey);
    const digests = Array.from({ length: 60 }, () => randomBytes(32));
    const raw = await Promise.all(digests.map(digest => first.signDigest(digest)));
    const high = raw.filter(bytes => secp256k1.Signature.fromBytes(bytes, 'compact').hasHighS());
    assert.ok(high.length > 0 && high.length < raw.length, 'the HSM itself returns high and low s');
    for (const signer of [first, second]) {
      const signatures = await Promise.all(digests.map(digest => signRecoverable(signer, digest)));
      for (const { r, s } of signatures) {
        assert.ok(!secp256k1.Signature.fromBytes(Buffer.concat([r, s]), 'compact').hasHighS());
      }
    }
  });

  const { pkcs11, open } = session();
  const forget = () => pkcs11.C_CloseAllSessions(open().slot);

  await t.test('an HSM that has lost its sessions is silent once, and is logged into again', async () => {
    forget();
    await assert.rejects(first.signDigest(randomBytes(32)), SignerSilent);
    await signRecoverable(first, randomBytes(32));
  });

  await t.test('a PIN that is refused is tried once, since a few tries lock the token', async () => {
    const { handle } = open();
    pkcs11.C_SetPIN(handle, PIN, '7777');
    forget();
    await assert.rejects(first.signDigest(randomBytes(32)), SignerSilent);
    await assert.rejects(first.signDigest(randomBytes(32)), /pinFile is not taken as the PIN/);
    await assert.rejects(first.signDigest(randomBytes(32)), SignerRefused);
    // With the correct PIN restored it stays refused until a restart.
    const again = open();
    pkcs11.C_Login(again.handle, pkcs11js.CKU_USER, '7777');
    pkcs11.C_SetPIN(again.handle, '7777', PIN);
    await assert.rejects(first.signDigest(randomBytes(32)), SignerRefused);
  });
});

function pkcs8Of(privateKey: Uint8Array): string {
  const publicKey = Buffer.from(publicKeyOf(privateKey));
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
  const [x, y] = [text(publicKey.subarray(1, 33)), text(publicKey.subarray(33))];
  const key = { kty: 'EC', crv: 'secp256k1', d: text(privateKey), x, y };
  return newKeyObject({ key, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' }).toString();
}

function run(command: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
}
