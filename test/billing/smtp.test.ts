// Giving a mail to a mail server: encrypted as the settings say, with a certificate that must be valid, and never waiting for ever.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { makeCertificate } from '../../packages/psp/src/certificates/make.ts';
import type { MailServer } from '../../src/billing/reminders/mail-settings.ts';
import { smtpSender } from '../../src/billing/reminders/smtp.ts';

const LOGIN = { user: 'padaria', password: 'hunter2' };
const MAIL = {
  ...{ to: 'maria@example.org', subject: 'Vence hoje', text: 'Vence hoje', html: '<p>Vence hoje</p>' },
  ...{ optOutUrl: 'https://pay.example.com/reminders/opt-out/x', attachments: [] },
};

type At = Pick<MailServer, 'host' | 'port' | 'tls'>;
const send = (at: At) => smtpSender({ ...at, login: LOGIN, from: { address: 'bills@example.com' } })('id', MAIL);

/** A mail server with a certificate for `localhost`; `logins` says over which connections a password came. */
async function startTlsServer(t: TestContext, isImplicit: boolean) {
  const ca = await makeCertificate({ commonName: 'CA of the test', use: 'ca' });
  const { certificatePem: cert, keyPem: key } = await makeCertificate({
    ...{ commonName: 'localhost', use: 'server', issuer: ca },
  });
  const logins: string[] = [];
  const server = new SMTPServer({
    ...{ secure: isImplicit, cert, key, logger: false },
    onAuth: ({ password }, { secure }, done) => {
      logins.push(secure ? 'encrypted' : 'open');
      if (password === LOGIN.password) done(null, { user: LOGIN.user });
      else done(new Error('wrong login'));
    },
    onData: (stream, _session, done) => void stream.on('end', done).resume(),
  });
  server.on('error', () => {});
  const listener = server.listen(0, 'localhost');
  if (!listener.listening) await once(listener, 'listening');
  t.after(() => new Promise<void>(resolve => server.close(() => resolve())));
  return { port: (listener.address() as AddressInfo).port, caPem: ca.certificatePem, logins };
}

function trust(t: TestContext, caPem: string): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, caPem]);
  t.after(() => setDefaultCACertificates(before));
}

for (const tls of ['starttls', 'implicit'] as const) {
  test(`with ${tls} the password goes over an encrypted connection, to a server with a valid certificate`, async t => {
    const { port, caPem, logins } = await startTlsServer(t, tls === 'implicit');
    const at = { host: 'localhost', port, tls };
    assert.deepEqual(await send(at), { kind: 'postponed', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    assert.deepEqual(logins, [], 'an unknown certificate gets no password');
    trust(t, caPem);
    assert.deepEqual(await send(at), { kind: 'sent' });
    assert.deepEqual(logins, ['encrypted']);
  });
}

test('a server that is not there, or breaks off, has taken nothing', async t => {
  const greetings: readonly ((socket: Socket) => void)[] = [
    socket => socket.end(),
    socket => socket.resetAndDestroy(),
    socket => socket.end('421 4.3.2 closing\r\n'),
    socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    socket => socket.once('data', () => socket.end()).write('220 mail.example.com\r\n'),
  ];
  for (const greet of greetings) {
    const { port, stop } = await startBrokenServer(greet);
    t.after(stop);
    assert.equal((await send({ host: '127.0.0.1', port, tls: 'off' })).kind, 'postponed', String(greet));
    await stop();
    const absent = await send({ host: '127.0.0.1', port, tls: 'off' });
    assert.deepEqual(absent, { kind: 'postponed', code: 'ECONNREFUSED' }, 'nothing listens there');
  }
});

test('a server that talks on and never answers is left after the limit', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { port, stop } = await startBrokenServer(socket => {
    socket.write('220 mail.example.com\r\n');
    // Its answer to EHLO goes on.
    socket.once('data', () => socket.write('250-mail.example.com\r\n', () => t.mock.timers.tick(120_000)));
  });
  t.after(stop);
  assert.equal((await send({ host: '127.0.0.1', port, tls: 'off' })).kind, 'postponed');
});

async function startBrokenServer(greet: (socket: Socket) => void) {
  const server = createServer(socket => {
    socket.on('error', () => {});
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => new Promise<void>(resolve => server.close(() => resolve())),
  };
}
