// The kind of rail whose bank registers boletos from files (CNAB 240).
import type { AgreementEntry } from '../agreement-entry.ts';
import type { RailKind } from '../kind.ts';
import { loadCnabRail } from './load.ts';
import { CNAB_CAN } from './rail.ts';

export const cnabBoletoKind: RailKind = {
  name: 'cnab-boleto',
  method: 'boleto',
  section: 'boletos',
  takes: ({ api }: AgreementEntry) => api === undefined,
  can: CNAB_CAN,
  isByFile: true,
  describe: ({ bank }: AgreementEntry) => `bank ${bank} by file`,
  open: (entry: AgreementEntry) => loadCnabRail(entry),
};
