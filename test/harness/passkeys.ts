// A software authenticator in place of a phone or a security key: it creates passkeys and signs with them (WebAuthn, ES256).
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Service } from './service.ts';

const HEADERS = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
/** User present, user verified; and with a new credential in it. */
const FLAGS = { signed: 0x05, made: 0x45 };

/** The parts of CBOR that an attestation needs. */
const cbor = {
  head: (major: number, length: number) =>
    length < 24 ? Buffer.from([(major << 5) | length]) : Buffer.from([(major << 5) | 24, length]),
  bytes: (value: Buffer) => Buffer.concat([cbor.head(2, value.length), value]),
  text: (value: string) => Buffer.concat([cbor.head(3, value.length), Buffer.from(value)]),
  int: (value: number) => (value >= 0 ? cbor.head(0, value) : cbor.head(1, -1 - value)),
  map: (...pairs: readonly (readonly [Buffer, Buffer])[]) =>
    Buffer.concat([cbor.head(5, pairs.length), ...pairs.flat()]),
};

type Ways = { readonly options: string; readonly answer: string };
const REGISTER: Ways = { options: '/dashboard/me/passkeys/options', answer: '/dashboard/me/passkeys' };
const CONFIRM: Ways = { options: '/dashboard/confirm/options', answer: '/dashboard/confirm' };

type Authenticator = {
  /** Adds a passkey to the person of a session. */
  register(cookie: string): Promise<Response>;
  /** Verifies with it again in a session. */
  confirm(cookie: string): Promise<Response>;
};

/** `origin` is where a browser has the service. */
function newAuthenticator(service: Service, origin = `http://localhost:${new URL(service.url).port}`): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  let signCount = 0;

  const post = (cookie: string, path: string, body?: unknown) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { ...HEADERS, cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  function authenticatorData(flags: number, credential: Buffer = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(++signCount);
    return Buffer.concat([
      createHash('sha256').update(new URL(origin).hostname).digest(),
      Buffer.from([flags]),
      count,
      credential,
    ]);
  }

  function newCredential(): Buffer {
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const key = cbor.map(
      [cbor.int(1), cbor.int(2)],
      [cbor.int(3), cbor.int(-7)],
      [cbor.int(-1), cbor.int(1)],
      [cbor.int(-2), cbor.bytes(Buffer.from(x, 'base64url'))],
      [cbor.int(-3), cbor.bytes(Buffer.from(y, 'base64url'))],
    );
    return Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
  }

  /** Asks for a challenge and answers it. */
  async function perform(cookie: string, ways: Ways, type: string, answerOf: (client: Buffer) => object) {
    const asked = await post(cookie, ways.options);
    if (!asked.ok) return asked;
    const { challenge } = (await asked.json()) as { challenge: string };
    const client = Buffer.from(JSON.stringify({ type, challenge, origin }));
    const name = id.toString('base64url');
    const response = { clientDataJSON: client.toString('base64url'), ...answerOf(client) };
    return post(cookie, ways.answer, {
      id: name,
      rawId: name,
      type: 'public-key',
      clientExtensionResults: {},
      response,
    });
  }

  return {
    register: cookie =>
      perform(cookie, REGISTER, 'webauthn.create', () => {
        const attestation = cbor.map(
          [cbor.text('fmt'), cbor.text('none')],
          [cbor.text('attStmt'), cbor.map()],
          [cbor.text('authData'), cbor.bytes(authenticatorData(FLAGS.made, newCredential()))],
        );
        return { attestationObject: attestation.toString('base64url') };
      }),

    confirm: cookie =>
      perform(cookie, CONFIRM, 'webauthn.get', client => {
        const data = authenticatorData(FLAGS.signed);
        const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
        return {
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
        };
      }),
  };
}

/** Adds a passkey to the person of a session, which also verifies the person. */
export async function addPasskey(service: Service, cookie: string, origin?: string): Promise<Authenticator> {
  const authenticator = newAuthenticator(service, origin);
  const added = await authenticator.register(cookie);
  assert.equal(added.status, 200, await added.text());
  return authenticator;
}
