// PUT, GET and DELETE of /webhookrec and of /webhookcobr. A receiver has one of each, for all keys.
import { checkWebhookBody } from '../charge-checks.ts';
import type { Core, Handler } from '../core.ts';
import { ApiRefusal, type KindName } from '../problem.ts';
import { readWebhookUrl } from '../routes/webhooks.ts';
import { checked } from './checks.ts';
import type { AutomaticWebhook } from './model.ts';

type About = 'rec' | 'cobr';

const INVALID: Readonly<Record<About, KindName>> = {
  rec: 'WebhookRecOperacaoInvalida',
  cobr: 'WebhookCobROperacaoInvalida',
};

export function putAutomaticWebhook(about: About): Handler {
  return async (core, call) => {
    const webhookUrl = await readWebhookUrl(
      core,
      call,
      INVALID[about],
      checked(checkWebhookBody, call.body, 'webhook'),
    );
    const webhook: AutomaticWebhook = { webhookUrl, createdAt: core.now() };
    core.state.automatic.webhooks[about].set(call.client.clientId, webhook);
    return { status: 200, body: { webhookUrl } };
  };
}

export function getAutomaticWebhook(about: About): Handler {
  return (core, { client }) => {
    const { webhookUrl, createdAt } = requireWebhook(core, about, client.clientId);
    return { status: 200, body: { webhookUrl, criacao: createdAt.toISOString() } };
  };
}

export function deleteAutomaticWebhook(about: About): Handler {
  return (core, { client }) => {
    requireWebhook(core, about, client.clientId);
    core.state.automatic.webhooks[about].delete(client.clientId);
    return { status: 204 };
  };
}

function requireWebhook(core: Core, about: About, clientId: string): AutomaticWebhook {
  const webhook = core.state.automatic.webhooks[about].get(clientId);
  if (!webhook) throw new ApiRefusal('NaoEncontrado');
  return webhook;
}
