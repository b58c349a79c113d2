// The kind of rail whose bank registers boletos by its API.
import type { AgreementEntry } from '../agreement-entry.ts';
import type { CalledBank, RailKind } from '../kind.ts';
import { diagnoseBoletoApi } from './diagnose.ts';
import { type BoletoApiEntry, loadBoletoApiRail } from './load.ts';
import { BOLETO_API_CAN } from './numbered-rail.ts';

const bank: CalledBank = {
  field: 'api',
  of: ({ api }: BoletoApiEntry) => api,
  isHeard: ({ api }: BoletoApiEntry) => api.webhook !== undefined,
  webhookFields: ['baseUrl', 'webhook.url'],
  diagnose: (entry: BoletoApiEntry, deps, { webhookUrl }) => diagnoseBoletoApi(entry, deps, webhookUrl),
};

export const boletoApisKind: RailKind = {
  name: 'boleto-apis',
  method: 'boleto',
  section: 'boletos',
  takes: ({ api }: AgreementEntry) => api !== undefined,
  can: BOLETO_API_CAN,
  bank,
  describe: ({ api: { profile, environment } }: BoletoApiEntry) => `${profile} (${environment}) by its API`,
  open: (entry: BoletoApiEntry, deps) => {
    const loaded = loadBoletoApiRail(entry, deps);
    if ('faults' in loaded) return loaded;
    const { webhook, stop, ...rail } = loaded.rail;
    return { rail, ...(webhook && { webhook }), stop };
  },
};
