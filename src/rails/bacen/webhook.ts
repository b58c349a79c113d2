// The address to which a PSP reports payments to a key.
import { AppError } from '../../lib/errors.ts';
import type { Client } from '../bank-client/client.ts';
import { reasonOf, textAt } from '../bank-client/read-answer.ts';
import { unanswered } from '../bank-client/unanswered.ts';
import type { WebhookAdmin } from '../bank-client/webhook.ts';
import { isAbsent } from './charges.ts';
import { WEBHOOK_SCOPES } from './profile.ts';
import type { BacenSettings, FullProfile } from './settings.ts';

/** The PSP appends `/pix` to the address. */
export function webhookAt({ pixKey }: BacenSettings, profile: FullProfile, { call }: Client): WebhookAdmin {
  const common = { resource: 'webhook', path: [pixKey], scopes: WEBHOOK_SCOPES } as const;
  return {
    registerWebhook: async (url, { skipMtls = false } = {}) => {
      const headers = skipMtls ? profile.skipMtlsHeaders : {};
      const answer = await call({ ...common, method: 'PUT', headers, body: { webhookUrl: url } });
      if (answer.kind === 'refused') {
        throw new AppError('wrong_state', `The PSP refuses the webhook: ${answer.status} ${reasonOf(answer)}`);
      }
      if (answer.kind !== 'ok') throw unanswered(answer);
    },
    readWebhook: async () => {
      const answer = await call({ ...common, method: 'GET' });
      if (isAbsent(answer)) return undefined;
      if (answer.kind !== 'ok') throw unanswered(answer);
      const url = textAt(answer.body, 'webhookUrl');
      return url === undefined ? undefined : { url };
    },
  };
}
