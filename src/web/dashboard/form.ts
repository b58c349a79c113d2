// What a form of the dashboard sends: text fields by their names, and files.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { MAX_STATEMENT_BYTES } from '../../rails/statement/statement.ts';

export type Fields = FormData | URLSearchParams;

/** The boundaries and fields around a file. */
export const FORM_OVERHEAD_BYTES = 64 * 1024;

/** Forms are taken by the pages alone, so the parsers are of their scope. JSON stays as the API reads it. */
export function readForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_: unknown, text: string) => new URLSearchParams(text),
  );
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: MAX_STATEMENT_BYTES + FORM_OVERHEAD_BYTES },
    async (request: FastifyRequest, bytes: Buffer) => {
      try {
        const headers = { 'content-type': request.headers['content-type'] ?? '' };
        // Read from the network, and so in no shared memory. A copy would hold a large file once more.
        return await new Response(bytes as Buffer<ArrayBuffer>, { headers }).formData();
      } catch {
        throw new AppError('malformed_request', 'The form cannot be read.');
      }
    },
  );
}

/** The fields of a request; none when it has no form. */
export function fieldsOf({ body }: FastifyRequest): Fields {
  return body instanceof URLSearchParams || body instanceof FormData ? body : new URLSearchParams();
}

/** A text field without spaces around it; empty when it was left out. */
export function textField(fields: Fields, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** What was filled in; what was left empty is left out. */
export function filled(fields: Fields, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, textField(fields, name)]).filter(([, value]) => value !== ''));
}

/** `159,90` and `159.90` as cents; what is no amount goes on as it is, so that the API names the fault. */
export function centsIn(text: string): number | string {
  const plain = text
    .replace(/\s|R\$/g, '')
    .replace(/\.(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  return /^\d+(?:\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : text;
}

/** `2` and `1,5` as numbers; what is none goes on as it is, so that the API names the fault. */
export function percentIn(text: string): number | string {
  const plain = text.replace(/\s|%/g, '').replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : text;
}

/** The end of a day in São Paulo; undefined when it was left empty. */
export function dayEndIn(fields: Fields, name: string): string | undefined {
  const day = textField(fields, name);
  return day === '' ? undefined : `${day}T23:59:59-03:00`;
}

/** A minute in São Paulo, as a browser sends it; undefined when it was left empty. */
export function minuteIn(fields: Fields, name: string): string | undefined {
  const minute = textField(fields, name);
  return minute === '' ? undefined : `${minute}:00-03:00`;
}

/** Lines of `name: text`; when one has no colon, all go on as they are, so that the API names the fault. */
export function textsIn(fields: Fields, name: string): Record<string, string> | string | undefined {
  const text = textField(fields, name);
  if (text === '') return undefined;
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const pairs = lines.map(line => /^([^:]+):(.*)$/.exec(line.trim()));
  if (pairs.includes(null)) return text;
  return Object.fromEntries(pairs.map(pair => [pair?.[1]?.trim() ?? '', pair?.[2]?.trim() ?? '']));
}
