// PUT, GET and DELETE of /webhook/{chave}, and GET /webhook.
import { checkWebhookBody } from '../charge-checks.ts';
import { type Violation, violation } from '../checks.ts';
import type { Call, Core, Handler } from '../core.ts';
import { pageOf, readListQuery } from '../paging.ts';
import { ApiRefusal, type KindName } from '../problem.ts';
import type { Webhook } from '../state.ts';
import { webhookView } from '../views.ts';

const MAX_URL_LENGTH = 2000;

export const putWebhook: Handler = async (core, call) => {
  const [chave = ''] = call.params;
  const found: Violation[] = [];
  if (!call.client.keys.includes(chave)) {
    found.push(violation('chave', 'A chave não pertence a este usuário recebedor.', chave));
  }
  checkWebhookBody(call.body, 'webhook', found);
  const webhookUrl = await readWebhookUrl(core, call, 'WebhookOperacaoInvalida', found);
  const { clientId } = call.client;
  core.state.webhooks.set(chave, { chave, clientId, webhookUrl, createdAt: core.now() });
  return { status: 200, body: { webhookUrl } };
};

/** The URL of a checked body; refuses an invalid one, or one that fails the test of the profile. */
export async function readWebhookUrl(core: Core, call: Call, refusal: KindName, found: Violation[]): Promise<string> {
  const { webhookUrl } = (call.body ?? {}) as { webhookUrl?: unknown };
  if (found.length === 0 && !isGoodUrl(core, webhookUrl)) {
    found.push(violation('webhook.webhookUrl', 'O campo webhook.webhookUrl não respeita o schema.', webhookUrl));
  }
  if (found.length > 0) throw new ApiRefusal(refusal, found);
  const url = webhookUrl as string;
  if (core.profile.probesWebhook && call.headers['x-skip-mtls-checking'] !== 'true') {
    const why = await core.notifier.probe(url);
    if (why !== undefined) throw new ApiRefusal(refusal, [violation('webhook.webhookUrl', why, url)]);
  }
  return url;
}

export const getWebhook: Handler = (core, call) => ({
  status: 200,
  body: webhookView(core, requireWebhook(core, call)),
});

export const deleteWebhook: Handler = (core, call) => {
  core.state.webhooks.delete(requireWebhook(core, call).chave);
  return { status: 204 };
};

export const listWebhooks: Handler = (core, call) => {
  const query = readListQuery(core, call.query, {
    refusal: 'WebhookConsultaInvalida',
    filters: {},
    timesOptional: true,
  });
  const found = [...core.state.webhooks.values()].filter(({ clientId, createdAt }) => {
    const atMs = createdAt.getTime();
    return clientId === call.client.clientId && atMs >= query.fromMs && atMs <= query.toMs;
  });
  const { shown, parametros } = pageOf(found, query);
  return { status: 200, body: { parametros, webhooks: shown.map(webhook => webhookView(core, webhook)) } };
};

function isGoodUrl(core: Core, url: unknown): boolean {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && core.allowHttpWebhooks);
}

function requireWebhook(core: Core, { client, params: [chave = ''] }: Call): Webhook {
  const webhook = core.state.webhooks.get(chave);
  if (webhook?.clientId !== client.clientId) throw new ApiRefusal('WebhookNaoEncontrado');
  return webhook;
}
