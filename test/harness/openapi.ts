// The OpenAPI document that a running service serves, as a judge of what it answers.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Service } from './service.ts';

export type Media = {
  readonly schema: unknown;
  readonly example?: unknown;
  readonly examples?: Record<string, { readonly value: unknown }>;
};
export type Content = Record<string, Media>;
export type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: unknown }[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Record<string, { readonly content?: Content }>;
};
export type OpenApi = {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, { readonly examples?: readonly unknown[] }> };
};

export type Judge = {
  readonly document: OpenApi;
  /** What is wrong with the value by the schema at this place of the document; undefined when nothing is. */
  faultOf(place: readonly string[], value: unknown): string | undefined;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

export async function readOpenApi(service: Service): Promise<Judge> {
  const document: OpenApi = (await service.get('/openapi.json')).json;
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('date-time', text => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)));
  ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
  ajv.addFormat('duration', /^P[\dYMWDTHS]+$/);
  ajv.addFormat('binary', true);
  ajv.addFormat('uri-reference', text => URL.canParse(text, 'http://here.example'));
  // The document itself is no schema, but what is pointed at lies in it; the last word is ours.
  ajv.addVocabulary([...Object.keys(document), 'x-storable']);
  ajv.addSchema(document, 'openapi', undefined, false);
  const compiled = new Map<string, ValidateFunction>();
  return {
    document,
    faultOf: (place, value) => {
      const pointer = place.map(part => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
      let validate = compiled.get(pointer);
      if (!validate) {
        validate = ajv.compile({ $ref: `openapi#/${pointer}` });
        compiled.set(pointer, validate);
      }
      return validate(value) ? undefined : ajv.errorsText(validate.errors);
    },
  };
}
