// Tests a boleto rail over a bank's API, and says what is wrong and how to fix it. Nothing is changed at the bank.
import type { Check } from '../bank-client/check.ts';
import { bad, clientChecks, faultCheck, good } from '../bank-client/diagnose.ts';
import { textAt } from '../bank-client/read-answer.ts';
import type { ClientDeps } from '../bank-client/settings.ts';
import type { OpenedApi } from './api.ts';
import { type BoletoApiEntry, openBoletoApi } from './load.ts';

/** Every check in order; checks that depend on a failed one are skipped. `webhookUrl` is the address that the bank should have. */
export async function diagnoseBoletoApi(
  entry: BoletoApiEntry,
  deps: ClientDeps,
  webhookUrl?: string,
): Promise<readonly Check[]> {
  const result = openBoletoApi(entry, deps);
  if ('faults' in result) return result.faults.map(faultCheck);
  const { opened } = result;
  try {
    return await clientChecks(opened, deps, [opened.profile.scopes], async () => [
      ...(await opened.api.checkAgreement(opened, deps)),
      ...(opened.api.webhookOf ? await webhookChecks(opened, webhookUrl) : []),
    ]);
  } finally {
    opened.connections.stop();
  }
}

async function webhookChecks({ client: { call } }: OpenedApi, wanted: string | undefined): Promise<Check[]> {
  const answer = await call({ method: 'GET', resource: 'webhook' });
  if (answer.kind !== 'ok' && !(answer.kind === 'refused' && answer.status === 404)) return [];
  const url = answer.kind === 'ok' ? textAt(answer.body, 'webhookUrl') : undefined;
  const mend = 'Run trilho rails register-webhook.';
  if (wanted === undefined) {
    const detail = url === undefined ? 'There is no webhook; the sweep finds payments.' : 'One is registered.';
    return [good('webhook', detail)];
  }
  if (url === undefined) return [bad('webhook', 'No webhook is registered.', mend)];
  // The path is a secret, so neither address is repeated.
  if (url.replace(/\/$/, '') !== wanted.replace(/\/$/, '')) {
    return [bad('webhook', 'The registered address is another one.', mend)];
  }
  return [good('webhook', 'It is registered.')];
}
