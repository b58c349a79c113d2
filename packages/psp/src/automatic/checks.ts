// The norm's requirements for requests of Pix Automático: the schema here; rules that need the state are beside the routes.
import { onePersonId } from '../charge-checks.ts';
import {
  type Check,
  day,
  flag,
  integer,
  type JsonObject,
  moment,
  oneOf,
  positiveAmount,
  shape,
  text,
  type Violation,
  violation,
} from '../checks.ts';
import type { CivilDay } from '../days.ts';

const CPF = text({ pattern: /^\d{11}$/ });
const CNPJ = text({ pattern: /^[0-9A-Z]{14}$/ });
const NAME = text({ min: 1, max: 140 });
const ISPB = text({ pattern: /^[0-9A-Z]{8}$/ });
const ID_REC = text({ pattern: /^[a-zA-Z0-9]{29}$/ });
const LOCATION_ID = integer(1, Number.MAX_SAFE_INTEGER);

export const TXID = /^[a-zA-Z0-9]{26,35}$/;

const fixedOrVariable: Check = (value, path, found) => {
  const { valorRec, valorMinimoRecebedor } = value as JsonObject;
  if (valorRec !== undefined && valorMinimoRecebedor !== undefined)
    found.push(violation(path, `Ambos os campos ${path}.valorRec e ${path}.valorMinimoRecebedor estão preenchidos.`));
};

const ativacao = shape({
  dadosJornada: shape({ txid: text({ pattern: TXID }) }, { required: ['txid'] }),
});

export const checkNewRec: Check = shape(
  {
    vinculo: shape(
      {
        contrato: text({ min: 1, max: 35 }),
        objeto: text({ max: 35 }),
        devedor: shape({ cpf: CPF, cnpj: CNPJ, nome: NAME }, { required: ['nome'], also: onePersonId }),
      },
      { required: ['contrato', 'devedor'] },
    ),
    calendario: shape(
      {
        dataInicial: day,
        dataFinal: day,
        periodicidade: oneOf('SEMANAL', 'MENSAL', 'TRIMESTRAL', 'SEMESTRAL', 'ANUAL'),
      },
      { required: ['dataInicial', 'periodicidade'] },
    ),
    valor: shape({ valorRec: positiveAmount, valorMinimoRecebedor: positiveAmount }, { also: fixedOrVariable }),
    politicaRetentativa: oneOf('NAO_PERMITE', 'PERMITE_3R_7D'),
    recebedor: shape({ convenio: text({ max: 60 }) }),
    loc: LOCATION_ID,
    ativacao,
  },
  { required: ['vinculo', 'calendario', 'politicaRetentativa'] },
);

const cancelsAlone: Check = (value, path, found) => {
  const { status, ...others } = value as JsonObject;
  if (status !== undefined && Object.keys(others).length > 0)
    found.push(violation(`${path}.status`, 'O cancelamento não pode vir com outras alterações.'));
};

export const checkRecPatch: Check = shape(
  {
    status: oneOf('CANCELADA'),
    vinculo: shape({ devedor: shape({ nome: NAME }, { required: ['nome'] }) }),
    loc: LOCATION_ID,
    calendario: shape({ dataInicial: day }),
    ativacao,
  },
  { also: cancelsAlone },
);

export function checkRecDays(
  { dataInicial, dataFinal }: { readonly dataInicial: CivilDay; readonly dataFinal?: CivilDay },
  createdOn: CivilDay,
): Violation[] {
  const found: Violation[] = [];
  const wrong = (name: string, why: string, value: CivilDay) =>
    found.push(violation(`rec.calendario.${name}`, `O campo rec.calendario.${name} é anterior ${why}.`, value));
  if (dataInicial < createdOn) wrong('dataInicial', 'à data de criação da recorrência', dataInicial);
  if (dataFinal !== undefined && dataFinal < dataInicial)
    wrong('dataFinal', 'ao campo rec.calendario.dataInicial', dataFinal);
  return found;
}

export const checkNewRequest: Check = shape(
  {
    idRec: ID_REC,
    calendario: shape({ dataExpiracaoSolicitacao: moment }, { required: ['dataExpiracaoSolicitacao'] }),
    destinatario: shape(
      { cpf: CPF, cnpj: CNPJ, ispbParticipante: ISPB, conta: text({ min: 1, max: 20 }), agencia: text({ max: 4 }) },
      { required: ['conta', 'ispbParticipante'], also: onePersonId },
    ),
  },
  { required: ['idRec', 'calendario', 'destinatario'] },
);

export const checkCancel: Check = shape({ status: oneOf('CANCELADA') }, { required: ['status'] });

export const checkNewCobR: Check = shape(
  {
    idRec: ID_REC,
    infoAdicional: text({ max: 140 }),
    calendario: shape({ dataDeVencimento: day }, { required: ['dataDeVencimento'] }),
    valor: shape({ original: positiveAmount }, { required: ['original'] }),
    ajusteDiaUtil: flag,
    recebedor: shape(
      {
        conta: text({ min: 1, max: 20 }),
        tipoConta: oneOf('CORRENTE', 'POUPANCA', 'PAGAMENTO'),
        agencia: text({ max: 4 }),
      },
      { required: ['conta', 'tipoConta'] },
    ),
    devedor: shape({
      email: text({ max: 200 }),
      logradouro: text({ max: 200 }),
      cidade: text({ max: 200 }),
      uf: text({ max: 2 }),
      cep: text({ max: 8 }),
    }),
  },
  { required: ['idRec', 'calendario', 'valor', 'recebedor'] },
);

export function checked(check: Check, body: unknown, name: string): Violation[] {
  const found: Violation[] = [];
  check(body, name, found);
  return found;
}
