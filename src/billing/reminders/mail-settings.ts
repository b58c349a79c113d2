// The settings of mail: the server that takes the reminders, and the sender.
import { headerWord, type Kind, kindOf, oneOf, wholeNumber } from '../../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../../lib/settings/setting.ts';

type Sender = { readonly name?: string; readonly address: string };

const hostName = kindOf('a host name or an IP address', given =>
  /^[A-Za-z0-9.:_-]{1,253}$/.test(given) ? given : undefined,
);

const ADDRESS = /^[^\s@<>",;]+@[^\s@<>",;]+$/;

const sender: Kind<Sender> = kindOf('an address such as bills@example.com or Padaria <bills@example.com>', given => {
  if (ADDRESS.test(given)) return { address: given };
  const [, name = '', address = ''] = /^([^\p{Cc}<>"]+)<([^<>]+)>$/u.exec(given) ?? [];
  return ADDRESS.test(address) && name.trim() !== '' ? { name: name.trim(), address } : undefined;
});

const SERVER = 'mail server';
const LOGIN = 'login of the mail server';

export const MAIL_SETTINGS = [
  {
    name: 'TRILHO_SMTP_HOST',
    kind: hostName,
    group: SERVER,
    meaning: 'The mail server (SMTP) that takes reminders. Without it no mail is sent.',
  },
  {
    name: 'TRILHO_MAIL_FROM',
    kind: { ...sender, show: ({ name, address }) => (name === undefined ? address : `${name} <${address}>`) },
    group: SERVER,
    meaning: 'The sender of reminders. The name is replaced by that of the account where it has one.',
  },
  {
    name: 'TRILHO_SMTP_PORT',
    kind: wholeNumber(1, 65_535),
    default: '587',
    meaning: 'The port of the mail server: usually 587 with starttls, 465 with implicit.',
  },
  {
    name: 'TRILHO_SMTP_TLS',
    kind: oneOf(['starttls', 'implicit', 'off']),
    default: 'starttls',
    meaning:
      'How the connection is encrypted: after STARTTLS, from the beginning, or not at all, which is for a server on the same machine only. Its certificate must be valid.',
  },
  {
    name: 'TRILHO_SMTP_USER',
    kind: headerWord,
    group: LOGIN,
    meaning: 'The user at the mail server, where it wants one.',
  },
  {
    name: 'TRILHO_SMTP_PASSWORD',
    kind: headerWord,
    isSecret: true,
    group: LOGIN,
    meaning: 'The password of that user.',
  },
] as const satisfies readonly Setting[];

type Values = ValuesOf<typeof MAIL_SETTINGS>;

export type MailServer = {
  readonly host: string;
  readonly port: number;
  readonly tls: Values['TRILHO_SMTP_TLS'];
  readonly login?: { readonly user: string; readonly password: string };
  readonly from: Sender;
};

export type MailSettings = Readonly<ReturnType<typeof mailSettingsOf>>;

export function mailSettingsOf(values: Values): { readonly mail?: MailServer } {
  const { TRILHO_SMTP_HOST: host, TRILHO_MAIL_FROM: from, TRILHO_SMTP_PORT: port, TRILHO_SMTP_TLS: tls } = values;
  const { TRILHO_SMTP_USER: user, TRILHO_SMTP_PASSWORD: password } = values;
  if (host === undefined || from === undefined) return {};
  return {
    mail: { host, port, tls, from, ...(user !== undefined && password !== undefined && { login: { user, password } }) },
  };
}
