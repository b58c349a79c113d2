// The BR Code of a location, and the reader that the payer uses. Independent of the service's own encoder on purpose.

type Fields = ReadonlyMap<string, string>;

function field(id: string, value: string): string {
  return `${id}${String(value.length).padStart(2, '0')}${value}`;
}

type CodeInput = {
  /** Of a charge; absent for a code that is about a recurrence alone. */
  readonly location?: string | undefined;
  /** The location of a recurrence. */
  readonly recurrence?: string | undefined;
  readonly name: string;
  readonly city: string;
};

/** A dynamic code: the payload behind the location decides the amount. */
export function writeDynamicCode({ location, recurrence, name, city }: CodeInput): string {
  const body = [
    field('00', '01'),
    location === undefined ? '' : field('01', '12'),
    field('26', GUI + (location === undefined ? '' : field('25', location))),
    field('52', '0000'),
    field('53', '986'),
    field('58', 'BR'),
    field('59', plain(name, 25)),
    field('60', plain(city, 15)),
    field('62', field('05', '***')),
    recurrence === undefined ? '' : field('80', GUI + field('25', recurrence)),
    '6304',
  ].join('');
  return body + crc16(body);
}

const GUI = field('00', 'br.gov.bcb.pix');

/** Without accents, cut to the length that its field has. */
function plain(text: string, length: number): string {
  const folded = text.normalize('NFD').replace(/[^\x20-\x7e]/g, '');
  return folded.slice(0, length).trim();
}

type ReadCode = {
  readonly location?: string;
  /** The location of a recurrence. */
  readonly recurrence?: string;
  readonly key?: string;
  readonly amount?: string;
  readonly txid?: string;
};

/** Undefined for text that is no pix code, or whose checksum is wrong. */
export function readCode(text: string): ReadCode | undefined {
  const body = text.trim();
  if (!/^[\x20-\x7e]{20,512}$/.test(body) || crc16(body.slice(0, -4)) !== body.slice(-4)) return undefined;
  const fields = readFields(body);
  const account = readFields(fields?.get('26') ?? '');
  if (account?.get('00')?.toLowerCase() !== 'br.gov.bcb.pix') return undefined;
  const txid = readFields(fields?.get('62') ?? '')?.get('05');
  return dropUndefined({
    location: account.get('25'),
    recurrence: readFields(fields?.get('80') ?? '')?.get('25'),
    key: account.get('01'),
    amount: fields?.get('54'),
    txid: txid === '***' ? undefined : txid,
  });
}

function dropUndefined(code: { [Name in keyof ReadCode]: string | undefined }): ReadCode {
  return Object.fromEntries(Object.entries(code).filter(([, value]) => value !== undefined));
}

function readFields(text: string): Fields | undefined {
  const found = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const length = Number(text.slice(at + 2, at + 4));
    if (!Number.isInteger(length) || at + 4 + length > text.length) return undefined;
    found.set(text.slice(at, at + 2), text.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

/** CRC-16/CCITT-FALSE, four upper-case hexadecimal digits. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
