// A mail server of its own implementation, strict about the protocol, that keeps what it takes and fails as a test says.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** What it does with the next mail: by default it takes it. */
export type Fault =
  /** Answers the sender, the recipient, or the content with this status. */
  | { readonly at: 'sender' | 'recipient' | 'content'; readonly status: number; readonly text?: string }
  /** Cuts the connection before or after the content was sent. */
  | { readonly at: 'cut_recipient' | 'cut_content' };

type Refusal = Extract<Fault, { readonly status: number }>;

export type MailServer = {
  readonly port: number;
  /** The settings of a service that sends by it. */
  readonly env: Readonly<Record<string, string>>;
  /** Mails that were taken, oldest first. */
  readonly mails: ParsedMail[];
  /** How often a mail was begun. */
  attempts(): number;
  fail(...faults: readonly Fault[]): void;
  /** It fails no more. */
  clear(): void;
  /** Called once a mail was taken and before it is acknowledged. */
  onMail(work: () => Promise<void>): void;
  stop(): Promise<void>;
};

const LOGIN = { user: 'padaria', password: 'hunter2' };

export async function startMailServer(): Promise<MailServer> {
  const mails: ParsedMail[] = [];
  const faults: Fault[] = [];
  let attempts = 0;
  let work = async () => {};
  const refusal = ({ status, text = '5.1.1 maria@example.org is not known here' }: Refusal) =>
    Object.assign(new Error(text), { responseCode: status });
  const server = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === LOGIN.user && password === LOGIN.password) done(null, { user: LOGIN.user });
      else done(new Error('wrong login'));
    },
    onMailFrom: (_address, _session, done) => {
      const [fault] = faults;
      done(fault?.at === 'sender' ? refusal(faults.shift() as Refusal) : undefined);
    },
    onRcptTo: (_address, _session, done) => {
      attempts++;
      const [fault] = faults;
      if (fault?.at === 'recipient') return done(refusal(faults.shift() as Refusal));
      if (fault?.at === 'cut_recipient') return cut();
      done();
    },
    onData: (stream, _session, done) => {
      void (async () => {
        const content = await buffer(stream);
        const [fault] = faults;
        if (fault?.at === 'content') return done(refusal(faults.shift() as Refusal));
        mails.push(await simpleParser(content));
        await work();
        if (fault?.at === 'cut_content') return cut();
        done();
      })();
    },
  });
  // A client that was killed ends its connection in the middle of a mail.
  server.on('error', () => {});
  const inner = await listening(server.listen(0, '127.0.0.1'));
  // The wire to it, which can be cut.
  const clients = new Set<Socket>();
  const wire = createServer(client => {
    const upstream = connect(inner, '127.0.0.1');
    clients.add(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.pipe(other);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    client.on('close', () => clients.delete(client));
  });
  const port = await listening(wire.listen(0, '127.0.0.1'));
  const cut = () => {
    faults.shift();
    for (const client of clients) client.destroy();
  };
  return {
    port,
    env: {
      TRILHO_SMTP_HOST: '127.0.0.1',
      TRILHO_SMTP_PORT: String(port),
      TRILHO_SMTP_TLS: 'off',
      TRILHO_SMTP_USER: LOGIN.user,
      TRILHO_SMTP_PASSWORD: LOGIN.password,
      TRILHO_MAIL_FROM: 'Trilho <bills@example.com>',
    },
    mails,
    attempts: () => attempts,
    fail: (...more) => void faults.push(...more),
    clear: () => void faults.splice(0),
    onMail: next => {
      work = next;
    },
    stop: async () => {
      for (const client of clients) client.destroy();
      await new Promise<void>(resolve => wire.close(() => resolve()));
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

async function listening(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
