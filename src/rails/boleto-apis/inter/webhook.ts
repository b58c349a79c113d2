// The address to which Inter sends notifications; one for the whole account.
import { AppError } from '../../../lib/errors.ts';
import type { Client } from '../../bank-client/client.ts';
import { reasonOf, textAt } from '../../bank-client/read-answer.ts';
import { unanswered } from '../../bank-client/unanswered.ts';
import type { WebhookAdmin } from '../../bank-client/webhook.ts';
import { isAbsent } from '../answers.ts';
import type { BoletoResource } from '../profile.ts';

export function interWebhook({ call }: Client<BoletoResource>): WebhookAdmin {
  return {
    registerWebhook: async url => {
      const answer = await call({ method: 'PUT', resource: 'webhook', body: { webhookUrl: url } });
      if (answer.kind === 'refused') {
        throw new AppError('wrong_state', `The bank refuses the webhook: ${answer.status} ${reasonOf(answer)}`);
      }
      if (answer.kind !== 'ok') throw unanswered(answer);
    },
    readWebhook: async () => {
      const answer = await call({ method: 'GET', resource: 'webhook' });
      if (isAbsent(answer)) return undefined;
      if (answer.kind !== 'ok') throw unanswered(answer);
      const url = textAt(answer.body, 'webhookUrl');
      return url === undefined ? undefined : { url };
    },
  };
}
