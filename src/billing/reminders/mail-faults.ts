// Why a mail server takes no mail of this service, and what an operator does about it. Pure.

/** What a server refuses of the settings of this service: it stands before the code of its answer, `sender_refused 553 5.7.1`. */
export const SETTINGS_FAULTS = ['sender_refused', 'login_refused'] as const;
export type SettingsFault = (typeof SETTINGS_FAULTS)[number];

const SERVER = 'check TRILHO_SMTP_HOST, TRILHO_SMTP_PORT and TRILHO_SMTP_TLS';

const WAYS: Readonly<Record<SettingsFault, string>> = {
  sender_refused: 'set TRILHO_MAIL_FROM to an address that the mail server lets this service send from',
  login_refused: 'check TRILHO_SMTP_USER and TRILHO_SMTP_PASSWORD',
};

/** What an operator does about a code of the mail server or of the connection. */
export function wayOutOf(code: string): string {
  const fault = SETTINGS_FAULTS.find(one => code.startsWith(`${one} `));
  if (fault) return WAYS[fault];
  return /CERT|SIGNATURE/.test(code) ? 'its certificate must be valid for the name in TRILHO_SMTP_HOST' : SERVER;
}
