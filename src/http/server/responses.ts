// The documentation of problems, each with its own example.
import { EXAMPLE_REQUEST_ID, problem } from '../../api/problem.ts';
import { PROBLEMS, type ProblemCode } from '../../api/problem-kinds.ts';

export type Header = { readonly description: string; readonly type: string };

/** On every answer. */
export const REQUEST_ID: Record<string, Header> = {
  'X-Request-Id': { description: "The request's id, also in the log.", type: 'string' },
};
const RETRY_AFTER: Record<string, Header> = {
  'Retry-After': { description: 'Seconds to wait before trying again.', type: 'integer' },
};

/** Additional problems of an operation that requires a key. */
export const KEY_PROBLEMS = ['unauthorized', 'missing_scope'] as const satisfies readonly ProblemCode[];

/** Problems of every operation. */
const ANYWHERE = [
  'rate_limited',
  'internal_error',
  'database_unavailable',
  'database_timeout',
  'overloaded',
  'stopping',
] as const satisfies readonly ProblemCode[];

/** The documented problems of an operation, by status; several of one status are listed as examples. */
export function problemResponses(...codes: readonly ProblemCode[]): Record<number, object> {
  return responsesOf([...codes, ...ANYWHERE]);
}

/** The same for only these problems. */
export function responsesOf(codes: readonly ProblemCode[]): Record<number, object> {
  const byStatus = Map.groupBy(codes, code => PROBLEMS[code].status);
  return Object.fromEntries([...byStatus].map(([status, alike]) => [status, problemResponse(alike)]));
}

function problemResponse(codes: readonly ProblemCode[]): object {
  return {
    description: codes.map(code => PROBLEMS[code].title).join('; '),
    headers: codes.some(code => [429, 503].includes(PROBLEMS[code].status))
      ? { ...REQUEST_ID, ...RETRY_AFTER }
      : REQUEST_ID,
    content: {
      'application/problem+json': {
        schema: { $ref: 'Problem#' },
        examples: Object.fromEntries(
          codes.map(code => [
            code,
            { summary: PROBLEMS[code].title, value: problem(code, EXAMPLE_REQUEST_ID, PROBLEMS[code].example) },
          ]),
        ),
      },
    },
  };
}
