// Tests a boleto rail over a bank's API, and names what is wrong with a way to mend it. Nothing is changed at the bank.
import { civilDay } from '../../lib/civil-days.ts';
import type { Check } from '../bank-client/check.ts';
import type { Answer } from '../bank-client/classify.ts';
import { bad, clientChecks, faultCheck, good, wordsOf } from '../bank-client/diagnose.ts';
import { listAt, textAt } from '../bank-client/read-answer.ts';
import type { ClientDeps } from '../bank-client/settings.ts';
import { type BoletoApiEntry, type OpenedApi, openBoletoApi } from './load.ts';
import type { BoletoProfileName } from './profile.ts';
import { agreementFields } from './sicoob/number.ts';

/** Every check in order; one that needs what has failed is left out. `webhookUrl` is the address that the bank should have. */
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
      ...(await AGREEMENT_CHECKS[opened.settings.profile](opened, deps)),
      ...(opened.profile.hasWebhook ? await webhookChecks(opened, webhookUrl) : []),
    ]);
  } finally {
    opened.connections.stop();
  }
}

type AgreementCheck = (opened: OpenedApi, deps: ClientDeps) => Promise<Check[]>;

const AGREEMENT_CHECKS: Readonly<Record<BoletoProfileName, AgreementCheck>> = {
  sicoob: async ({ settings, client: { call } }) => {
    const { numeroCliente, codigoModalidade } = agreementFields(settings.account);
    const query = { numeroCliente: String(numeroCliente), codigoModalidade: String(codigoModalidade), quantidade: '1' };
    const answer = await call({ method: 'GET', resource: 'boletos', path: ['faixas-nosso-numero'], query });
    if (answer.kind !== 'ok') return [refusedAgreement(answer, 'beneficiaryCode, modality and clientId')];
    const ranges = listAt(answer.body, 'resultado').map(rangeOf);
    const words = ranges.length === 0 ? 'It names no free numbers.' : `Its free numbers are ${ranges.join(', ')}.`;
    return [good('agreement', `The bank knows the agreement. ${words}`)];
  },
  inter: async ({ client: { call } }, { clock }) => {
    const day = civilDay(clock.now());
    const query = { dataInicial: day, dataFinal: day, 'paginacao.itensPorPagina': '1' };
    const answer = await call({ method: 'GET', resource: 'boletos', query });
    if (answer.kind !== 'ok') return [refusedAgreement(answer, 'accountNumber, accountDigit and the scopes')];
    return [good('agreement', 'The boletos of the account can be read.')];
  },
};

function refusedAgreement(answer: Answer, fields: string): Check {
  return bad('agreement', `The bank does not tell about the agreement: ${wordsOf(answer)}.`, `Check ${fields}.`);
}

function rangeOf(range: unknown): string {
  return `${textAt(range, 'numeroInicial') ?? '?'} to ${textAt(range, 'numeroFinal') ?? '?'}`;
}

async function webhookChecks({ client: { call } }: OpenedApi, wanted: string | undefined): Promise<Check[]> {
  const answer = await call({ method: 'GET', resource: 'webhook' });
  if (answer.kind !== 'ok' && !(answer.kind === 'refused' && answer.status === 404)) return [];
  const url = answer.kind === 'ok' ? textAt(answer.body, 'webhookUrl') : undefined;
  const mend = 'Run trilho rails register-webhook.';
  if (wanted === undefined) {
    const detail = url === undefined ? 'None is set up; payments are found by the sweep.' : 'One is registered.';
    return [good('webhook', detail)];
  }
  if (url === undefined) return [bad('webhook', 'None is registered.', mend)];
  // The path is a secret, so neither address is repeated.
  if (url.replace(/\/$/, '') !== wanted.replace(/\/$/, '')) {
    return [bad('webhook', 'The registered address is another one.', mend)];
  }
  return [good('webhook', 'It is registered.')];
}
