// The addresses to which a PSP reports recurrences and collections, and the ids in what it reports.
import { AppError } from '../../../lib/errors.ts';
import { AUTOMATIC_NOTICES, type AutomaticCalls, type AutomaticHints } from '../../automatic.ts';
import type { Client } from '../../bank-client/client.ts';
import { listAt, reasonOf, textAt } from '../../bank-client/read-answer.ts';
import { unanswered } from '../../bank-client/unanswered.ts';
import { isAbsent } from '../charges.ts';
import { AUTOMATIC_SCOPES } from '../profile.ts';
import type { FullProfile } from '../settings.ts';

const RESOURCE = { rec: 'webhookrec', cobr: 'webhookcobr' } as const;

/** The PSP appends `/rec` and `/cobr` to the address. */
export function automaticWebhooksAt(
  { skipMtlsHeaders }: FullProfile,
  { call }: Pick<Client, 'call'>,
): Pick<AutomaticCalls, 'registerWebhooks' | 'readWebhook'> {
  return {
    registerWebhooks: async (url, { skipMtls = false } = {}) => {
      const headers = skipMtls ? skipMtlsHeaders : {};
      for (const notice of AUTOMATIC_NOTICES) {
        const place = { resource: RESOURCE[notice], scopes: AUTOMATIC_SCOPES } as const;
        const answer = await call({ ...place, method: 'PUT', headers, body: { webhookUrl: url } });
        if (answer.kind === 'refused') {
          const refusal = `${answer.status} ${reasonOf(answer)}`;
          throw new AppError('wrong_state', `The PSP refuses the webhook of Pix Automático: ${refusal}`);
        }
        if (answer.kind !== 'ok') throw unanswered(answer);
      }
    },
    readWebhook: async notice => {
      const answer = await call({ method: 'GET', resource: RESOURCE[notice], scopes: AUTOMATIC_SCOPES });
      if (isAbsent(answer)) return undefined;
      if (answer.kind !== 'ok') throw unanswered(answer);
      const url = textAt(answer.body, 'webhookUrl');
      return url === undefined ? undefined : { url };
    },
  };
}

const MAX_HINTS = 1_000;
const RECURRENCE_ID = /^[a-zA-Z0-9]{29}$/;
const REFERENCE = /^[a-zA-Z0-9]{26,35}$/;

export function automaticHintsIn(body: unknown): AutomaticHints {
  const ids = (list: string, field: string, form: RegExp) => {
    const found = listAt(body, list)
      .slice(0, MAX_HINTS)
      .flatMap(item => textAt(item, field) ?? []);
    return [...new Set(found.filter(id => form.test(id)))];
  };
  return {
    recurrenceIds: ids('recs', 'idRec', RECURRENCE_ID),
    references: ids('cobsr', 'txid', REFERENCE),
  };
}
