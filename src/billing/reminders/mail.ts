// What reminders need of mail: a message, and what came of giving it to a mail server.
import type { Charge } from '../../charges/charge.ts';
import type { Locale } from '../customers/customer.ts';
import type { Reminder } from './reminder.ts';
import type { OwnTexts } from './settings.ts';

export type Mail = {
  readonly to: string;
  /** The name of the sender, where it is not that of the settings. */
  readonly fromName?: string;
  readonly replyTo?: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where the payer ends the reminders of this account, with one request or on a page. */
  readonly optOutUrl: string;
  readonly attachments: readonly Attachment[];
};

type Attachment = {
  readonly filename: string;
  readonly type: string;
  readonly content: Buffer;
  /** By which the HTML shows it: `<img src="cid:…">`. */
  readonly contentId?: string;
};

/** What a mail says. */
export type MailFacts = {
  readonly reminder: Pick<Reminder, 'id' | 'accountId' | 'occasion' | 'days'>;
  readonly charge: Charge;
  /** The payer's bank tried to pay it by Pix Automático, and brought nothing. */
  readonly wasTried: boolean;
  readonly to: string;
  readonly locale: Locale;
  readonly texts: OwnTexts;
  readonly now: Date;
};

/**
 * `postponed`: nothing was taken, a later try may succeed. `refused`: the mail server will never take it. `unknown`: the connection ended
 * after the message went out. `code` is a code of the mail server or of the connection, never its text, which may repeat the address.
 */
export type MailOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'postponed' | 'refused' | 'unknown'; readonly code: string };

/** `id` identifies the message to mail servers. */
export type SendMail = (id: string, mail: Mail) => Promise<MailOutcome>;

export type Mailing = {
  readonly compose: (facts: MailFacts) => Promise<Mail>;
  readonly send: SendMail;
};
