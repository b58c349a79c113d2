// Writes statements in the styles of several banks, to be read back and compared.
import type { StatementEntry } from '../../../src/rails/statement/statement.ts';

type Style = {
  readonly newline: string;
  readonly charset: 'utf8' | 'latin1';
  readonly decimal: '.' | ',';
};

const digitsOf = (cents: bigint) => String(cents < 0n ? -cents : cents).padStart(3, '0');

/** `1234.56` or `1234,56`. */
export function plainAmount(cents: bigint, decimal: string): string {
  const digits = digitsOf(cents);
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}${decimal}${digits.slice(-2)}`;
}

/** `1.234,56`, without a sign. */
export function groupedAmount(cents: bigint): string {
  const digits = digitsOf(cents);
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.')},${digits.slice(-2)}`;
}

/** A moment at UTC−3: `2026-11-16T12:00:00`. */
export const atMinus3 = (at: Date) => new Date(at.getTime() - 3 * 3_600_000).toISOString().slice(0, 19);

function ofxDate({ postedDay, postedAt }: StatementEntry): string {
  if (!postedAt) return postedDay.replaceAll('-', '');
  return `${atMinus3(postedAt).replace(/[-:T]/g, '')}[-3:BRT]`;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function ofx1(entries: readonly StatementEntry[], { newline, charset, decimal }: Style): Buffer {
  const lines = [
    'OFXHEADER:100',
    'DATA:OFXSGML',
    'VERSION:102',
    'SECURITY:NONE',
    charset === 'utf8' ? 'ENCODING:UTF-8' : 'ENCODING:USASCII',
    charset === 'utf8' ? 'CHARSET:NONE' : 'CHARSET:1252',
    '',
    '<OFX>',
    '<BANKMSGSRSV1><STMTTRNRS><STMTRS>',
    '<CURDEF>BRL',
    '<BANKTRANLIST>',
    ...entries.flatMap(entry => [
      '<STMTTRN>',
      `<TRNTYPE>${entry.amountCents < 0n ? 'DEBIT' : 'CREDIT'}`,
      `<DTPOSTED>${ofxDate(entry)}`,
      `<TRNAMT>${plainAmount(entry.amountCents, decimal)}`,
      `<FITID>${escaped(entry.reference)}`,
      `<MEMO>${escaped(entry.text)}`,
      '</STMTTRN>',
    ]),
    '</BANKTRANLIST>',
    '</STMTRS></STMTTRNRS></BANKMSGSRSV1>',
    '</OFX>',
    '',
  ];
  return Buffer.from(lines.join(newline), charset);
}

export function ofx2(entries: readonly StatementEntry[], { newline, charset, decimal }: Style): Buffer {
  const encoding = charset === 'utf8' ? 'UTF-8' : 'ISO-8859-1';
  const lines = [
    `<?xml version="1.0" encoding="${encoding}" standalone="no"?>`,
    '<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>',
    '<!-- written by a test -->',
    '<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL</CURDEF><BANKTRANLIST>',
    ...entries.map(
      entry =>
        `<STMTTRN><TRNTYPE>OTHER</TRNTYPE><DTPOSTED>${ofxDate(entry)}</DTPOSTED>` +
        `<TRNAMT>${plainAmount(entry.amountCents, decimal)}</TRNAMT><FITID>${escaped(entry.reference)}</FITID>` +
        `<MEMO><![CDATA[${entry.text}]]></MEMO></STMTTRN>`,
    ),
    '</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>',
  ];
  return Buffer.from(lines.join(newline), charset);
}

type CsvStyle = Style & {
  readonly separator: ',' | ';' | '\t';
  readonly bom: boolean;
  readonly dates: 'day first' | 'year first';
  readonly amounts: 'plain' | 'grouped' | 'symbol' | 'letter' | 'columns';
  readonly preamble: boolean;
};

export function csv(entries: readonly StatementEntry[], style: CsvStyle): Buffer {
  const { separator, newline, charset, bom, preamble, amounts } = style;
  const quoted = (value: string) => (/[",;\t\n]|^ | $/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const row = (fields: readonly string[]) => fields.map(quoted).join(separator);
  const names = amounts === 'columns' ? ['Crédito (R$)', 'Débito (R$)'] : ['Valor (R$)'];
  const lines = [
    ...(preamble ? ['Extrato da conta corrente', row(['Conta', '00012-3']), ''] : []),
    row(['Data', 'Identificador', ...names, 'Descrição']),
    ...entries.map(entry => row([csvDate(entry, style), entry.reference, ...csvAmount(entry, style), entry.text])),
    '',
  ];
  return Buffer.from((bom && charset === 'utf8' ? '\ufeff' : '') + lines.join(newline), charset);
}

function csvDate({ postedDay, postedAt }: StatementEntry, { dates }: CsvStyle): string {
  const [day = '', time] = postedAt ? atMinus3(postedAt).split('T') : [postedDay];
  const written = dates === 'year first' ? day : day.split('-').reverse().join('/');
  return time === undefined ? written : `${written} ${time}`;
}

function csvAmount({ amountCents }: StatementEntry, { amounts, decimal }: CsvStyle): readonly string[] {
  const sign = amountCents < 0n ? '-' : '';
  switch (amounts) {
    case 'plain':
      return [plainAmount(amountCents, decimal)];
    case 'grouped':
      return [sign + groupedAmount(amountCents)];
    case 'symbol':
      return [`${sign}R$ ${groupedAmount(amountCents)}`];
    case 'letter':
      return [`${groupedAmount(amountCents)} ${amountCents < 0n ? 'D' : 'C'}`];
    case 'columns':
      return amountCents < 0n ? ['', groupedAmount(amountCents)] : [groupedAmount(amountCents), ''];
  }
}
