// Bodies of Pix Automático, and a caller that goes through the usual steps of it.
import type { TestContext } from 'node:test';
import type { PspOptions } from '../../../../packages/psp/src/psp.ts';
import { type TestClock, testClock } from '../../../harness/clock.ts';
import { type Caller, newTxid, startCaller } from '../caller.ts';

const NOON = '2030-12-02T15:00:00Z';

export function recBody(more: object = {}): object {
  return {
    vinculo: {
      contrato: '63100862',
      devedor: { cpf: '45164632481', nome: 'Fulano de Tal' },
      objeto: 'Serviço de música',
    },
    calendario: { dataInicial: '2030-12-10', periodicidade: 'MENSAL' },
    valor: { valorRec: '35.00' },
    politicaRetentativa: 'NAO_PERMITE',
    ...more,
  };
}

export const VARIABLE = { valor: { valorMinimoRecebedor: '20.00' } };
export const WITH_RETRIES = { politicaRetentativa: 'PERMITE_3R_7D' };

export function requestBody(idRec: string, more: object = {}): object {
  return {
    idRec,
    calendario: { dataExpiracaoSolicitacao: '2030-12-05T15:00:00Z' },
    destinatario: { agencia: '2569', conta: '550689', cpf: '15231470190', ispbParticipante: '91193552' },
    ...more,
  };
}

export function cobrBody(idRec: string, more: object = {}): object {
  return {
    idRec,
    infoAdicional: 'Serviços de música e filmes',
    calendario: { dataDeVencimento: '2030-12-10' },
    valor: { original: '35.00' },
    ajusteDiaUtil: true,
    recebedor: { agencia: '9708', conta: '012682', tipoConta: 'CORRENTE' },
    ...more,
  };
}

export type AutomaticCaller = Caller & {
  readonly clock: TestClock;
  /** A recurrence that waits for the payer. */
  newRec(more?: object): Promise<string>;
  /** One that the payer approved in journey 2. */
  approved(more?: object): Promise<string>;
  /** A charge of it, scheduled at the payer's bank. */
  scheduled(idRec: string, more?: object): Promise<string>;
};

export async function startAutomatic(t: TestContext, options: PspOptions = {}): Promise<AutomaticCaller> {
  const clock = testClock(NOON);
  const caller = await startCaller(t, { clock, seed: 7, ...options });
  const { call, psp } = caller;
  const newRec = async (more?: object) => (await call('POST', '/rec', recBody(more))).json.idRec as string;
  return {
    ...caller,
    clock,
    newRec,
    approved: async more => {
      const { id } = (await call('POST', '/locrec')).json;
      const idRec = await newRec({ loc: id, ...more });
      psp.automatic.approve({ idRec });
      return idRec;
    },
    scheduled: async (idRec, more) => {
      const txid = newTxid();
      await call('PUT', `/cobr/${txid}`, cobrBody(idRec, more));
      clock.advanceMs(5000);
      return txid;
    },
  };
}
