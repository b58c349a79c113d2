// Gives mails to a mail server by SMTP, one connection for each. The outcome says whether the server has a mail: a connection that ends
// before the content was sent has delivered nothing, one that ends after it may have.
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Mail, MailOutcome, SendMail } from './mail.ts';
import type { SettingsFault } from './mail-faults.ts';
import type { MailServer } from './mail-settings.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 60_000;
/** Shorter than the time after which a reminder counts as given up. */
const TOTAL_TIMEOUT_MS = 120_000;

export function smtpSender(server: MailServer): SendMail {
  return async (id, mail) => {
    const content = await contentOf(server, id, mail);
    return talk(server, connection => deliver(connection, server, mail.to, content));
  };
}

/** Logs in and sends nothing; the outcome is `sent` when the server would take mails. */
export function checkMailServer(server: MailServer): Promise<MailOutcome> {
  return talk(server, async () => SENT);
}

const SENT = { kind: 'sent' } as const;

function contentOf({ from }: MailServer, id: string, mail: Mail): Promise<Buffer> {
  const { fromName = from.name ?? '', replyTo, to, subject, text, html, optOutUrl } = mail;
  const composer = new MailComposer({
    from: { name: fromName, address: from.address },
    to: { name: '', address: to },
    ...(replyTo !== undefined && { replyTo }),
    ...{ subject, text, html },
    // The same for every try, so that a server can drop a repeat.
    messageId: `<${id}@${from.address.split('@').at(-1)}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      // One click in the mail program: RFC 8058.
      'List-Unsubscribe': { prepared: true, value: `<${optOutUrl}>` },
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
    attachments: mail.attachments.map(({ filename, type: contentType, content, contentId: cid }) => ({
      ...{ filename, contentType, content },
      ...(cid !== undefined && { cid, contentDisposition: 'inline' as const }),
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Connects, logs in and runs `work`. Whatever fails before `work` has delivered nothing. */
async function talk(
  { host, port, tls, login }: MailServer,
  work: (connection: SMTPConnection) => Promise<MailOutcome>,
): Promise<MailOutcome> {
  const connection = new SMTPConnection({
    ...{ host, port, secure: tls === 'implicit', requireTLS: tls === 'starttls', ignoreTLS: tls === 'off' },
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: ANSWER_TIMEOUT_MS,
  });
  const timeout = setTimeout(() => connection.close(), TOTAL_TIMEOUT_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      // Also errors after the connection was made, which reject the call in progress as well.
      connection.on('error', reject);
      connection.once('end', () => reject(new Error('the connection ended')));
      connection.connect(error => (error ? reject(error) : resolve()));
    });
    if (login) await logIn(connection, login);
    return await work(connection);
  } catch (error) {
    return { kind: 'postponed', code: codeOf(error) };
  } finally {
    clearTimeout(timeout);
    connection.quit();
  }
}

function logIn(connection: SMTPConnection, { user, password }: NonNullable<MailServer['login']>): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('end', () => reject(new Error('the connection ended')));
    connection.login({ user, pass: password }, error => (error ? reject(error) : resolve()));
  });
}

async function deliver(
  connection: SMTPConnection,
  { from }: MailServer,
  to: string,
  content: Buffer,
): Promise<MailOutcome> {
  let hasBegun = false;
  // Read once the server has taken sender and recipient.
  const message = Readable.from(
    (function* () {
      hasBegun = true;
      yield content;
    })(),
  );
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('end', () => reject(new Error('the connection ended')));
      const envelope = { from: from.address, to: [to], size: content.length };
      connection.send(envelope, message, error => (error ? reject(error) : resolve()));
    });
    return SENT;
  } catch (error) {
    const code = codeOf(error);
    const answered = answerOf(error);
    if (answered === undefined) return { kind: hasBegun ? 'unknown' : 'postponed', code };
    // A refusal of our own settings is nothing about this mail: it goes out once they are right.
    return { kind: answered >= 500 && !faultOfSettings(error) ? 'refused' : 'postponed', code };
  }
}

/** The status of the server's answer; undefined when the connection failed. */
function answerOf(error: unknown): number | undefined {
  const status = (error as { readonly responseCode?: unknown }).responseCode;
  return typeof status === 'number' && status >= 400 ? status : undefined;
}

/** The mail is larger than the server takes: RFC 1870. Its other permanent answers to MAIL FROM are about the sender. */
const TOO_LARGE = 552;
/** The address of the sender is not valid, or not one of that server: RFC 3463. Some servers say so only after the recipient. */
const BAD_SENDER = /^5\.1\.[78]$/;

/** What the server refuses for good of our settings: it would refuse a mail to any other payer too. */
function faultOfSettings(error: unknown): SettingsFault | undefined {
  const { command } = error as { readonly command?: unknown };
  const status = answerOf(error);
  if (status === undefined || status < 500) return undefined;
  if (typeof command === 'string' && command.startsWith('AUTH')) return 'login_refused';
  const isOfSender = command === 'MAIL FROM' ? status !== TOO_LARGE : BAD_SENDER.test(enhancedOf(error) ?? '');
  return isOfSender ? 'sender_refused' : undefined;
}

/**
 * `550 5.1.1` or `sender_refused 553 5.7.1`, or the code of the connection, such as that of its certificate. The text of the server may
 * repeat the address.
 */
function codeOf(error: unknown): string {
  const status = answerOf(error);
  if (status !== undefined) return [faultOfSettings(error), status, enhancedOf(error)].filter(Boolean).join(' ');
  const { originalCode, code } = error as { readonly originalCode?: unknown; readonly code?: unknown };
  const known = [originalCode, code].find(one => typeof one === 'string' && /^[A-Z][A-Z\d_]*$/.test(one));
  return typeof known === 'string' ? known : 'connection_lost';
}

function enhancedOf(error: unknown): string | undefined {
  const { response } = error as { readonly response?: unknown };
  return /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(typeof response === 'string' ? response : '')?.[1];
}
