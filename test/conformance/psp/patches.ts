// The faults of Bacen's OpenAPI document 2.9.0 that reject valid traffic, each with its replacement. A patch that does not match
// as often as it states is an error: the document has changed.

type Patch = {
  readonly why: string;
  readonly find: RegExp;
  readonly replace: string;
  readonly times: number;
};

export const PATCHES: readonly Patch[] = [
  {
    why: 'patterns of CPFs and of codes of municipalities have the slashes of another notation in them',
    find: /pattern: "\/(\^\\\\d\{\d+\}\$)\/"/g,
    replace: 'pattern: "$1"',
    times: 14,
  },
  {
    why: 'a location has no scheme, as its own examples show, and is no URI',
    find: /maxLength: 77\n\s+format: uri\n/g,
    replace: 'maxLength: 77\n',
    times: 4,
  },
  {
    why: 'the answer of GET /pix is required to have cobs, which it has not',
    find: /(PixConsultados:\n.+\n.+\n\s+required: \["parametros", )"cobs"\]/g,
    replace: '$1"pix"]',
    times: 1,
  },
  {
    why: 'listed charges are required to have idCob, which nothing describes',
    find: /required: \["status", "txid", "idCob"\]/g,
    replace: 'required: ["status", "txid"]',
    times: 2,
  },
  {
    why: 'a request that names a location is required to have tipoCob, which is no property of it',
    find: /(PayloadLocationCob:\n.+\n.+\n\s+required: \["id"), "tipoCob"\]/g,
    replace: '$1]',
    times: 1,
  },
  {
    why: 'the address of the receiver is required a level too high, beside recebedor and not in it',
    find: /(DadosRecebedor:\n\s+type: "object"\n)\s+required: \["logradouro", "cidade", "uf", "cep"\]\n/g,
    replace: '$1',
    times: 1,
  },
  {
    why: 'a discount with valorPerc fits both of its forms, since the one with dates does not require them',
    find: /(oneOf:\n\s+- type: "object"\n)(\s+properties:\n\s+descontoDataFixa:\n)/g,
    replace: '$1              required: ["descontoDataFixa"]\n$2',
    times: 1,
  },
  {
    why: 'a recurrence is required to have fields that only answers have, and one (retentativa) that nothing describes',
    find: /required: \["idRec", "calendario","vinculo","retentativa"\]/g,
    replace: 'required: ["calendario", "vinculo"]',
    times: 1,
  },
  {
    why: 'the location of a recurrence is required to have tipo, which neither its properties nor its examples have',
    find: /required: \["id", "location", "tipo", "criacao"\]/g,
    replace: 'required: ["id", "location", "criacao"]',
    times: 1,
  },
  {
    why: 'a request of approval is required to have pagador, which it has not',
    find: /required: \["calendario", "pagador", "idRec","destinatario"\]/g,
    replace: 'required: ["calendario", "idRec", "destinatario"]',
    times: 1,
  },
  {
    why: 'the answer about a request of approval is required to have rec, which is called recPayload',
    find: /(SolicRecCompleta:\n.+\n.+\n\s+required: \[)"rec"\]/g,
    replace: '$1"recPayload"]',
    times: 1,
  },
  {
    why: 'the bank of the payer is required a level too high, beside pagador and not in it',
    find: /(title: "Dados do Pagador"\n)\s+required: \["ispbParticipante"\]\n/g,
    replace: '$1',
    times: 1,
  },
  {
    why: 'both forms of an end, of a debtor and of his name require the same, so that every one fits both',
    find: /oneOf:(\n\s+-\s+type: "object"\n\s+(?:properties:\n\s+(?:rejeicao|cancelamento):|required: \["nome"\]))/g,
    replace: 'anyOf:$1',
    times: 3,
  },
  {
    why: 'the value of a pix of a recurrence is text and at the same time an object of its parts',
    find: /(PixAutomatico:\n(?:.+\n)+?\s+description: "Valor do Pix."\n)\s+anyOf:\n(?:\s+- \$ref: "#\/components\/schemas\/PixValor\w+"\n)+/g,
    replace: '$1',
    times: 1,
  },
  {
    why: 'the payload behind a location is a JWS, which the document describes as if it were decoded',
    find: /("application\/jose":\n\s+schema:\n\s+)\$ref: "#\/components\/schemas\/(?:CobV?|Rec)Payload"/g,
    replace: '$1type: "string"',
    times: 3,
  },
  {
    why: 'locations are at another host; here their paths would be those of charges',
    find: /^ {2}"(\/cobv|\/rec)?\/\{(pix|rec)UrlAccessToken\}":$/gm,
    replace: '  "/qr/v2$1/{$2UrlAccessToken}":',
    times: 3,
  },
];

/** The document with every patch applied. */
export function patchDocument(text: string): string {
  return PATCHES.reduce((patched, { why, find, replace, times }) => {
    const found = [...patched.matchAll(find)].length;
    if (found !== times) throw new Error(`found ${found} times instead of ${times}: ${why}`);
    return patched.replaceAll(find, replace);
  }, text);
}
