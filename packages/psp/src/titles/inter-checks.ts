// Inter's requirements for a new boleto, from its SDK and documentation.
import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { type Check, day, integer, list, oneOf, shape, text, type Violation, violation } from '../checks.ts';
import { civilDay } from '../days.ts';

type Rate = { readonly codigo: string; readonly taxa?: number; readonly valor?: number };

export type InterBody = {
  readonly seuNumero: string;
  readonly valorNominal: number;
  readonly dataVencimento: string;
  readonly numDiasAgenda: number;
  readonly pagador: { readonly cpfCnpj: string; readonly nome: string; readonly tipoPessoa: string };
  readonly desconto?: Rate & { readonly quantidadeDias: number };
  readonly multa?: Rate;
  readonly mora?: Rate;
  readonly formasRecebimento?: readonly string[];
};

const MIN_VALUE = 2.5;
const upTo = (max: number) => text({ min: 1, max });

/** A number with at most two decimals. */
const money: Check = (value, path, found) => {
  if (typeof value === 'number' && value > 0 && Math.abs(value * 100 - Math.round(value * 100)) < 1e-6) return;
  found.push(violation(path, 'O valor deve ser maior que zero e ter até duas casas decimais.', value));
};

const payer = shape(
  {
    cpfCnpj: text({ min: 11, max: 14, pattern: /^[0-9A-Z]+$/ }),
    tipoPessoa: oneOf('FISICA', 'JURIDICA'),
    nome: upTo(100),
    endereco: upTo(90),
    numero: upTo(10),
    complemento: upTo(30),
    bairro: upTo(60),
    cidade: upTo(60),
    uf: text({ pattern: /^[A-Z]{2}$/ }),
    cep: text({ pattern: /^\d{8}$/ }),
    email: upTo(50),
    ddd: text({ pattern: /^\d{2}$/ }),
    telefone: text({ pattern: /^\d{8,9}$/ }),
  },
  { required: ['cpfCnpj', 'tipoPessoa', 'nome', 'endereco', 'cidade', 'uf', 'cep'] },
);

const rate = (...codes: readonly string[]) =>
  shape({ codigo: oneOf(...codes), taxa: money, valor: money }, { required: ['codigo'] });

const cobranca = shape(
  {
    seuNumero: upTo(15),
    valorNominal: money,
    dataVencimento: day,
    numDiasAgenda: integer(0, 60),
    pagador: payer,
    desconto: shape(
      {
        codigo: oneOf('PERCENTUALDATAINFORMADA', 'VALORFIXODATAINFORMADA'),
        taxa: money,
        valor: money,
        quantidadeDias: integer(0, 365),
      },
      { required: ['codigo', 'quantidadeDias'] },
    ),
    multa: rate('NAOTEMMULTA', 'VALORFIXO', 'PERCENTUAL'),
    mora: rate('VALORDIA', 'TAXAMENSAL', 'ISENTO', 'CONTROLEDOBANCO'),
    mensagem: shape({ linha1: upTo(78), linha2: upTo(78), linha3: upTo(78), linha4: upTo(78), linha5: upTo(78) }),
    formasRecebimento: list(oneOf('BOLETO', 'PIX'), { min: 1, max: 2 }),
  },
  { required: ['seuNumero', 'valorNominal', 'dataVencimento', 'numDiasAgenda', 'pagador'] },
);

const edit = shape({ dataVencimento: day, valorNominal: money });

/** «UpdateCobrancaRequestBody»: due day, amount, or both; the rest cannot be changed. */
export function checkEdit(body: unknown, now: Date): Violation[] {
  const found: Violation[] = [];
  edit(body, 'cobranca', found);
  if (found.length > 0) return found;
  const { dataVencimento, valorNominal } = body as Partial<InterBody>;
  if (dataVencimento === undefined && valorNominal === undefined) {
    found.push(violation('dataVencimento', 'Informe a data de vencimento ou o valor nominal.'));
  }
  if (valorNominal !== undefined) found.push(violation('valorNominal', 'O simulador não altera o valor.'));
  if (dataVencimento !== undefined && dataVencimento < civilDay(now)) {
    found.push(violation('dataVencimento', TOO_EARLY, dataVencimento));
  }
  return found;
}

const TOO_EARLY = 'A data de vencimento deve ser maior ou igual à data atual.';

function isDiscountWrong({ codigo, taxa, valor }: Rate, valorNominal: number): boolean {
  const isPercent = codigo === 'PERCENTUALDATAINFORMADA';
  const [given, other, most] = isPercent ? [taxa, valor, 100] : [valor, taxa, valorNominal];
  return given === undefined || other !== undefined || given >= most;
}

export function checkCobranca(body: unknown, now: Date): Violation[] {
  const found: Violation[] = [];
  cobranca(body, 'cobranca', found);
  if (found.length > 0) return found;
  const { dataVencimento, pagador, desconto, multa, mora, valorNominal } = body as InterBody;
  if (valorNominal < MIN_VALUE) {
    found.push(violation('valorNominal', 'O valor nominal deve ser de no mínimo R$ 2,50.', valorNominal));
  }
  const { cpfCnpj: document } = pagador;
  if (dataVencimento < civilDay(now)) {
    found.push(violation('dataVencimento', TOO_EARLY, dataVencimento));
  }
  if (!isValidCpf(document) && !isValidCnpj(document, { version: 2 })) {
    found.push(violation('pagador.cpfCnpj', 'CPF/CNPJ inválido.'));
  }
  if ((document.length === 11) !== (pagador.tipoPessoa === 'FISICA')) {
    found.push(violation('pagador.tipoPessoa', 'O tipo de pessoa não é o do documento.'));
  }
  if (desconto && isDiscountWrong(desconto, valorNominal)) {
    found.push(violation('desconto', 'Informe a taxa, menor que 100, ou o valor, menor que o nominal.'));
  }
  if (multa?.codigo === 'PERCENTUAL' && multa.taxa === undefined) found.push(violation('multa.taxa', 'É obrigatória.'));
  if (mora?.codigo === 'TAXAMENSAL' && mora.taxa === undefined) found.push(violation('mora.taxa', 'É obrigatória.'));
  return found;
}
