// Validates the answers of a running service against its OpenAPI document.
import { hash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { App } from '../../src/app.ts';
import type { Mode } from '../../src/lib/mode.ts';
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

/** What a service answered to a request. */
export type Exchange = {
  readonly method: string;
  /** With its query, if any. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly json: unknown;
};

export type Judge = {
  readonly document: OpenApi;
  /** Why the value does not match the schema at this place of the document; undefined when it does. */
  faultOf(place: readonly string[], value: unknown): string | undefined;
  /** How an answer differs from the document; undefined when they agree. */
  faultOfAnswer(exchange: Exchange): string | undefined;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const PROBLEM = ['components', 'schemas', 'Problem'];
/** Paths that the document omits: pages, health, metrics, the document itself. */
const UNDOCUMENTED = /^\/(?:docs(?:\/.*)?|problems(?:\/.*)?|metrics|livez|readyz|openapi\.json|favicon\.ico)?$/;

export async function readOpenApi(service: Service): Promise<Judge> {
  return judgeOf((await service.get('/openapi.json')).text);
}

/** Kept, since compiling takes longer than validating and many services of one process have the same document. */
const judges = new Map<string, Judge>();

export function judgeOf(text: string): Judge {
  return judgeBy(hash('sha256', text), () => text);
}

/**
 * The judge of a service. Even generating the document takes longer than a test, so services with the same routes and the same
 * authentication share one.
 */
export function judgeOfApp(app: Pick<App, 'routes' | 'openApiText'>, mode: Mode): Judge {
  return judgeBy(JSON.stringify([mode, app.routes]), () => app.openApiText());
}

function judgeBy(key: string, textOf: () => string): Judge {
  const judge = judges.get(key) ?? createJudge(JSON.parse(textOf()));
  judges.set(key, judge);
  return judge;
}

function createJudge(document: OpenApi): Judge {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('date-time', text => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)));
  ajv.addFormat('date', /^\d{4}-\d{2}-\d{2}$/);
  ajv.addFormat('duration', /^P[\dYMWDTHS]+$/);
  ajv.addFormat('email', /^[^@\s]+@[^@\s]+$/);
  ajv.addFormat('account-id', true);
  ajv.addFormat('phone', /^\+\d{8,15}$/);
  ajv.addFormat('binary', true);
  ajv.addFormat('uri-reference', text => URL.canParse(text, 'http://here.example'));
  // The document is not a schema itself but contains them; the last keyword is ours.
  ajv.addVocabulary([...Object.keys(document), 'x-storable']);
  ajv.addSchema(document, 'openapi', undefined, false);
  const compiled = new Map<string, ValidateFunction>();
  const operationAt = operationFinder(document);

  function faultOf(place: readonly string[], value: unknown): string | undefined {
    const pointer = pointerTo(document, place);
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  }

  function faultOfAnswer(exchange: Exchange): string | undefined {
    const { method, path, status, json, text } = exchange;
    const address = addressOf(path);
    const type = exchange.contentType.split(';', 1)[0] ?? '';
    const found = operationAt(method === 'HEAD' ? 'get' : method.toLowerCase(), address);
    if (!found) {
      if (type === 'application/problem+json') return method === 'HEAD' ? undefined : faultOf(PROBLEM, json);
      return UNDOCUMENTED.test(address) ? undefined : 'the document has no such operation';
    }
    const { operation, place } = found;
    const response = operation.responses[status];
    if (!response) return `the document has no ${status} for ${place.slice(1).join(' ')}`;
    if (!response.content) return text === '' ? undefined : `the document has no body for ${status}`;
    if (!Object.hasOwn(response.content, type)) return `the document has no ${type} for ${status}`;
    if (method === 'HEAD' || !type.endsWith('json')) return undefined;
    return faultOf([...place, 'responses', String(status), 'content', type, 'schema'], json);
  }

  return { document, faultOf, faultOfAnswer };
}

/** The path without its query, as a router reads it. */
function addressOf(path: string): string {
  const address = path.split('?', 1)[0] ?? path;
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

type Found = { readonly operation: Operation; readonly place: readonly string[] };

/** A function that finds the operation at an address; one without parameters comes before one with them. */
function operationFinder(document: OpenApi): (method: string, address: string) => Found | undefined {
  const templates = Object.entries(document.paths)
    .map(([template, operations]) => ({
      template,
      operations,
      pattern: new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
    }))
    .sort((a, b) => a.template.split('{').length - b.template.split('{').length);
  return (method, address) => {
    const match = templates.find(({ pattern }) => pattern.test(address));
    const operation = match?.operations[method];
    return match && operation && { operation, place: ['paths', match.template, method] };
  };
}

/** A pointer to a place of the document. References are followed, so that each component is compiled once. */
function pointerTo(document: unknown, place: readonly string[]): string {
  const schema = place.reduce<unknown>((here, part) => (here as Record<string, unknown> | undefined)?.[part], document);
  const { $ref } = (schema ?? {}) as { $ref?: string };
  if ($ref?.startsWith('#/')) return $ref.slice(1);
  return place.map(part => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}
