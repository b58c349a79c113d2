// The faults of Bacen's OpenAPI document 2.9.0 that stop good traffic, each with what is put in its place. A patch that does
// not fit as often as it says is an error: the document is another one then.

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
    why: 'the payload behind a location is a JWS, which the document describes as if it were decoded',
    find: /("application\/jose":\n\s+schema:\n\s+)\$ref: "#\/components\/schemas\/CobV?Payload"/g,
    replace: '$1type: "string"',
    times: 2,
  },
  {
    why: 'locations are at another host; here their paths would be those of charges',
    find: /^ {2}"(\/cobv)?\/\{pixUrlAccessToken\}":$/gm,
    replace: '  "/qr/v2$1/{pixUrlAccessToken}":',
    times: 2,
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
