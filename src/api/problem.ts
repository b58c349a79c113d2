// Problem details (RFC 9457): the format of every answer that is not a success.
import { type Static, Type } from 'typebox';
import type { AppError } from '../lib/errors.ts';
import { type Particulars, PROBLEMS, type ProblemCode, type ProblemKind } from './problem-kinds.ts';
import { OneOf } from './schemas.ts';

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

export const EXAMPLE_REQUEST_ID = '019a8b5e-4b02-7c11-8d3f-0e5a9b7c6d21';

export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri-reference', description: 'An address that explains this kind of problem.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What happened this time.' }),
    code: OneOf(Object.keys(PROBLEMS) as ProblemCode[]),
    requestId: Type.String({ description: 'The X-Request-Id of this answer.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), code: Type.String(), message: Type.String() }), {
        description: 'Every fault of the request.',
      }),
    ),
    chargeId: Type.Optional(Type.String({ format: 'uuid', description: 'The charge that existed first.' })),
    customerId: Type.Optional(Type.String({ format: 'uuid', description: 'The customer that existed first.' })),
    mandateId: Type.Optional(Type.String({ format: 'uuid', description: 'The mandate that existed first.' })),
    instalmentPlanId: Type.Optional(
      Type.String({ format: 'uuid', description: 'The instalment plan that existed first.' }),
    ),
    planId: Type.Optional(Type.String({ format: 'uuid', description: 'The plan that existed first.' })),
    subscriptionId: Type.Optional(Type.String({ format: 'uuid', description: 'The subscription that existed first.' })),
    walletId: Type.Optional(Type.String({ format: 'uuid', description: 'The wallet that existed first.' })),
    transactionId: Type.Optional(Type.String({ format: 'uuid', description: 'The order that existed first.' })),
    duplicateOf: Type.Optional(
      Type.String({ description: 'The reference of the payment of which it may be a duplicate.' }),
    ),
  },
  {
    $id: 'Problem',
    additionalProperties: false,
    examples: allExamples(),
  },
);
export type Problem = Static<typeof Problem>;

/** One of each kind. */
function allExamples(): unknown[] {
  return (Object.keys(PROBLEMS) as ProblemCode[]).map(code =>
    problem(code, EXAMPLE_REQUEST_ID, PROBLEMS[code].example),
  );
}

export function problemOf(error: AppError, requestId: string): Problem {
  const { message: detail, faults: errors, first } = error;
  return problem(error.code, requestId, { detail, errors, first });
}

export function problem(code: ProblemCode, requestId: string, particulars: Particulars): Problem {
  const { status, title } = PROBLEMS[code];
  const { detail, errors = [], first } = particulars;
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    code,
    requestId,
    ...(errors.length > 0 && { errors: [...errors] }),
    ...first,
  };
}

export function retryAfterSeconds(code: ProblemCode): number | undefined {
  const kind: ProblemKind = PROBLEMS[code];
  return kind.retryAfterSeconds;
}
