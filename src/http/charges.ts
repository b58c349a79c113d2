// POST /charges and GET /charges/{id}.
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ChargeDraft, Customer, CustomerType, NewCharge } from '../charges/charge.ts';
import { checkCharge, inferCustomerType, normaliseDocument } from '../charges/check.ts';
import { type CreateDeps, createCharge } from '../charges/create.ts';
import { chargeView } from '../charges/view.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { invalidRequest } from '../lib/errors.ts';
import { asFar } from '../lib/in-step.ts';
import { accountOf } from './auth.ts';
import { chargeParams, requireCharge } from './charge-params.ts';
import { CHARGE_SCHEMAS, ChargeBody, CREATED_EXAMPLE, type CUSTOMER_TYPES, VIEW_EXAMPLE } from './charge-schemas.ts';
import { IdempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts';
import { type DeepPartial, reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';

const readBody = reader(ChargeBody, 'body');

export function chargeRoutes(app: FastifyInstance, deps: CreateDeps): void {
  for (const schema of CHARGE_SCHEMAS) app.addSchema(schema);

  app.post(
    '/charges',
    {
      config: { scope: 'charges:write' },
      schema: {
        operationId: 'createCharge',
        summary: 'Create a charge',
        description:
          'Payable by boleto, pix or both. A repeat by externalId or Idempotency-Key returns the first charge, however many arrive at once.',
        tags: ['Charges'],
        headers: IdempotencyHeaders,
        body: Type.Unsafe({ $ref: 'NewCharge#' }),
        response: {
          201: jsonResponse(
            Type.Unsafe({ $ref: 'CreatedCharge#' }),
            'The charge, with a result for each method',
            CREATED_EXAMPLE,
            {
              Location: { description: 'Where the charge is read.', type: 'string' },
              'Idempotent-Replayed': { description: '`true` when an earlier request made it.', type: 'string' },
            },
          ),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'external_id_conflict',
            'payload_too_large',
            'unsupported_media_type',
            'idempotency_key_reused',
            'charge_refused',
          ),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults: bodyFaults } = readBody(request.body);
      const key = readIdempotencyKey(request);
      const faults = [...key.faults, ...bodyFaults];
      const draft = toDraft(clean);
      if (faults.length > 0) {
        throw invalidRequest([...faults, ...checkCharge(draft, { mode: deps.mode, now: deps.clock.now() })]);
      }
      // With no faults the schema vouches for every required field.
      accountOf(request, draft.accountId);
      // In step: all are read before any is made.
      await asFar;
      const { id, answer, replayed } = await createCharge(deps, draft as NewCharge, key.value);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.code(201).header('location', `/charges/${id}`).type('application/json; charset=utf-8');
      return answer;
    },
  );

  app.get<{ Params: { id: string } }>(
    '/charges/:id',
    {
      config: { scope: 'charges:read' },
      schema: {
        operationId: 'getCharge',
        summary: 'Read a charge',
        tags: ['Charges'],
        params: chargeParams,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Charge#' }), 'The charge as it is now', VIEW_EXAMPLE),
          ...problemResponses('malformed_request', 'not_found'),
        },
      },
    },
    async request => chargeView(await requireCharge(deps.db, request)),
  );
}

/** The body in our own words, as far as it could be read. */
function toDraft(body: DeepPartial<ChargeBody>): ChargeDraft {
  const { accountId, externalId, sourceKey, amountCents, currency, methods, taxes = {} } = body;
  const dueAt = body.dueAt === undefined ? undefined : parseRfc3339(body.dueAt);
  const expireAt = body.expireAt === undefined ? undefined : parseRfc3339(body.expireAt);
  return {
    ...(accountId !== undefined && { accountId }),
    ...(externalId !== undefined && { externalId }),
    ...(sourceKey !== undefined && { sourceKey }),
    ...(amountCents !== undefined && { amountCents: BigInt(amountCents) }),
    ...(currency !== undefined && { currency }),
    ...(methods !== undefined && { methods: [...new Set(methods)] }),
    ...(body.customer !== undefined && { customer: toCustomer(body.customer) }),
    ...(taxes.fine !== undefined && { finePercent: decimalText(taxes.fine) }),
    ...(taxes.interest !== undefined && { interestPercent: decimalText(taxes.interest) }),
    ...(dueAt && { dueAt }),
    ...(expireAt && { expireAt }),
  };
}

/** The customer in our own words, as far as it could be read. */
export function toCustomer({ name, document, type, address }: DeepPartial<ChargeBody['customer']>): Partial<Customer> {
  const normalised = document === undefined ? undefined : normaliseDocument(document);
  return {
    ...(name !== undefined && { name }),
    ...(normalised !== undefined && { document: normalised, type: toCustomerType(type, normalised) }),
    ...(address !== undefined && { address }),
  };
}

function toCustomerType(type: (typeof CUSTOMER_TYPES)[number] | undefined, document: string): CustomerType {
  if (type === undefined) return inferCustomerType(document);
  return type === 'individual' ? 'individual' : 'company';
}

/** A JSON number as plain decimal text: 1e-7 too. */
function decimalText(number: number): string {
  const text = String(number);
  return text.includes('e') ? number.toFixed(20).replace(/\.?0+$/, '') : text;
}
