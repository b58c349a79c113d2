// Reads what a form of the dashboard sends: text fields by their names, and files.
import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitFiles } from '../../http/server/limits.ts';
import { AppError } from '../../lib/errors.ts';

export type Fields = FormData | URLSearchParams;

/** The boundaries and fields around a file. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
/** No form has more fields. Parsing many small parts, or many header lines, would block the process for seconds. */
const MAX_PARTS = 20;
const MAX_PART_HEADER_BYTES = 4 * 1024;

/** Only the pages take forms, so the parsers belong to their scope. JSON is read as in the API. */
export function readForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, text: string) => new URLSearchParams(text),
  );
}

/** Adds a parser for forms with a file to the scope of one route. The caller is authenticated before the body is read. */
export function readUploads(scope: FastifyInstance, maxFileBytes: number): void {
  scope.addHook('onRequest', limitFiles());
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: maxFileBytes + FORM_OVERHEAD_BYTES },
    async (request: FastifyRequest, bytes: Buffer) => {
      const type = request.headers['content-type'] ?? '';
      if (!hasFewParts(bytes, type)) throw unreadable();
      try {
        // The cast avoids a copy of a large file: bytes from the network are never in shared memory.
        return await new Response(bytes as Buffer<ArrayBuffer>, { headers: { 'content-type': type } }).formData();
      } catch {
        throw unreadable();
      }
    },
  );
}

function unreadable(): AppError {
  return new AppError('malformed_request', 'The form cannot be read.');
}

/** Whether there are few parts, each with a short header. https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1 */
function hasFewParts(bytes: Buffer, contentType: string): boolean {
  const boundary = new MIMEType(contentType).params.get('boundary');
  if (!boundary) return false;
  const delimiter = `--${boundary}`;
  let count = 0;
  for (let at = bytes.indexOf(delimiter); at >= 0; count++) {
    if (count > MAX_PARTS) return false;
    const next = bytes.indexOf(delimiter, at + delimiter.length);
    const header = bytes.subarray(at, at + delimiter.length + MAX_PART_HEADER_BYTES);
    // No part follows the last delimiter.
    if (next >= 0 && !header.includes('\r\n\r\n')) return false;
    at = next;
  }
  return true;
}

/** The fields of a request; empty when it has no form. */
export function fieldsOf({ body }: FastifyRequest): Fields {
  return body instanceof URLSearchParams || body instanceof FormData ? body : new URLSearchParams();
}

/** A trimmed text field; empty when it is absent. */
export function textField(fields: Fields, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The fields without empty ones. */
export function filled(fields: Fields, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, textField(fields, name)]).filter(([, value]) => value !== ''));
}

/** An amount as people type it: plain, grouped as in Brazil (`1.234` is more than a thousand), or as in English with cents. */
const AMOUNTS = [
  /^(?<whole>\d+)(?:[.,](?<cents>\d{1,2}))?$/,
  /^(?<whole>\d{1,3}(?:\.\d{3})+)(?:,(?<cents>\d{1,2}))?$/,
  /^(?<whole>\d{1,3}(?:,\d{3})+)\.(?<cents>\d{1,2})$/,
];

/** `159,90`, `1.234,56` and `1,234.56` as cents; other text stays as it is, so that the API reports the fault. */
export function centsIn(text: string): number | string {
  const plain = text.replace(/\s|R\$/g, '');
  for (const form of AMOUNTS) {
    const { whole, cents = '' } = form.exec(plain)?.groups ?? {};
    if (whole === undefined) continue;
    const digits = Number(whole.replace(/[.,]/g, '') + cents.padEnd(2, '0'));
    return Number.isSafeInteger(digits) ? digits : text;
  }
  return text;
}

/** `2` and `1,5` as numbers; other text stays as it is, so that the API reports the fault. */
export function percentIn(text: string): number | string {
  const plain = text.replace(/\s|%/g, '').replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** The fields without empty ones, as whole numbers; other text stays as it is, so that the API reports the fault. */
export function numbersIn(fields: Fields, names: readonly string[]): Record<string, number | string> {
  const numbers = Object.entries(filled(fields, names)).map(([name, text]) => [
    name,
    /^\d+$/.test(text) ? Number(text) : text,
  ]);
  return Object.fromEntries(numbers);
}

/** The end of a day in São Paulo; undefined when the field is empty. */
export function dayEndIn(fields: Fields, name: string): string | undefined {
  const day = textField(fields, name);
  return day === '' ? undefined : `${day}T23:59:59-03:00`;
}

/** A minute in São Paulo, as a browser sends it; undefined when the field is empty. */
export function minuteIn(fields: Fields, name: string): string | undefined {
  const minute = textField(fields, name);
  return minute === '' ? undefined : `${minute}:00-03:00`;
}

/** A text of several lines; a browser sends CRLF. */
export function linesIn(fields: Fields, name: string): string {
  return textField(fields, name).replaceAll('\r\n', '\n');
}

/** Lines of `name: text`; when one has no colon, the text stays as it is, so that the API reports the fault. */
export function textsIn(fields: Fields, name: string): Record<string, string> | string | undefined {
  const text = textField(fields, name);
  if (text === '') return undefined;
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const pairs = lines.map(line => /^([^:]+):(.*)$/.exec(line.trim()));
  if (pairs.includes(null)) return text;
  return Object.fromEntries(pairs.map(pair => [pair?.[1]?.trim() ?? '', pair?.[2]?.trim() ?? '']));
}

/** What `textsIn` reads. */
export function metadataText(metadata: Readonly<Record<string, string>> = {}): string {
  return Object.entries(metadata)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');
}
