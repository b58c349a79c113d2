// What a charge looks like on the wire.
import { type Static, Type } from 'typebox';
import { CAME_AFTER, CHARGE_STATES, REFUND_STATUSES } from '../charges/charge.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { METHODS } from '../rails/rail.ts';
import { DateTime, LooseText, OneOf, Text } from './schemas.ts';

/** Further names for a company, as other services call it. */
export const CUSTOMER_TYPES = ['individual', 'company', 'business', 'corporation'] as const;

/** Far above any lawful rate; what lies beyond is a slip of the keyboard. */
const MAX_PERCENT = 1_000_000;

const AddressBody = Type.Object(
  {
    street: Type.Optional(LooseText()),
    number: Type.Optional(LooseText()),
    postalCode: Type.Optional(LooseText()),
    city: Type.Optional(LooseText()),
    countryCode: Type.Optional(LooseText()),
    complement: Type.Optional(LooseText()),
    neighborhood: Type.Optional(LooseText()),
    state: Type.Optional(LooseText()),
  },
  { additionalProperties: false },
);

export const CustomerBody = Type.Object(
  {
    name: Text(),
    document: Text({ description: 'CPF or CNPJ, punctuation allowed.', maxLength: 32 }),
    type: Type.Optional(OneOf(CUSTOMER_TYPES, { description: 'Inferred from the document when absent.' })),
    address: Type.Optional(AddressBody),
  },
  { additionalProperties: false },
);

export const MethodsBody = Type.Array(OneOf(METHODS), {
  minItems: 1,
  maxItems: METHODS.length,
  description: 'Ways to pay; repeats are one.',
});

const BODY_EXAMPLE = {
  accountId: 'acme',
  externalId: 'order-1042',
  amountCents: 15_990,
  currency: 'BRL',
  methods: ['boleto', 'pix'],
  customer: {
    name: 'Maria da Silva',
    document: '529.982.247-25',
    type: 'individual',
    address: { street: 'Rua das Flores', number: '100', city: 'São Paulo', state: 'SP', postalCode: '01001-000' },
  },
  taxes: { fine: 2, interest: 1 },
  dueAt: '2026-12-10T23:59:59-03:00',
};

export const ChargeBody = Type.Object(
  {
    accountId: Text({ description: 'Whose charge it is. A sandbox opens an account it does not know.' }),
    externalId: Type.Optional(
      Text({ description: 'Your own id. A repeat for the same account returns the first charge.' }),
    ),
    sourceKey: Type.Optional(Text({ description: 'Your own word for where the charge comes from.' })),
    amountCents: Type.Integer({ minimum: 1, description: 'Hundredths of the currency.' }),
    currency: OneOf(CURRENCIES, { description: 'USD and EUR are payable in reais at a rate locked now.' }),
    methods: MethodsBody,
    customer: CustomerBody,
    taxes: Type.Optional(
      Type.Object(
        {
          fine: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: MAX_PERCENT,
              description: 'Percent of the amount, once, from the first late day.',
            }),
          ),
          interest: Type.Optional(
            Type.Number({
              minimum: 0,
              maximum: MAX_PERCENT,
              description: 'Percent a month, a thirtieth of it each day.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    dueAt: DateTime({ description: 'RFC 3339, any offset.' }),
    expireAt: Type.Optional(DateTime({ description: 'Not before dueAt; 30 days after it when absent.' })),
  },
  { $id: 'NewCharge', additionalProperties: false, examples: [BODY_EXAMPLE] },
);
export type ChargeBody = Static<typeof ChargeBody>;

const success = Type.Boolean({ description: 'False when the rail refused this method.' });
const status = Type.String({ description: 'CREATING at first; see the states of a charge.' });
const reason = Type.Optional(Type.String({ description: 'Why it was refused.' }));

const BoletoResult = Type.Object(
  {
    success,
    status,
    reason,
    digitableLine: Type.Optional(Type.String({ pattern: '^[0-9]{47}$', description: 'The line a payer types.' })),
    barcode: Type.Optional(Type.String({ pattern: '^[0-9]{44}$' })),
    pdfUrl: Type.Optional(Type.String({ format: 'uri-reference', description: 'The page to print.' })),
  },
  { $id: 'BoletoResult', additionalProperties: false },
);

const PixResult = Type.Object(
  {
    success,
    emv: Type.String({ description: 'The BR Code a payer scans or pastes; empty when refused.' }),
    status,
    reason,
    txid: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{1,35}$' })),
    qrCodeUrl: Type.Optional(Type.String({ format: 'uri-reference', description: 'The picture of the code.' })),
  },
  { $id: 'PixResult', additionalProperties: false },
);

const results = {
  boleto: Type.Optional(Type.Unsafe<Static<typeof BoletoResult>>({ $ref: 'BoletoResult#' })),
  pix: Type.Optional(Type.Unsafe<Static<typeof PixResult>>({ $ref: 'PixResult#' })),
};

export const CreatedCharge = Type.Object(
  { id: Type.String({ format: 'uuid' }), ...results },
  { $id: 'CreatedCharge', additionalProperties: false },
);

export const PaymentView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    method: OneOf(METHODS),
    amountCents: Type.Integer(),
    paidAt: DateTime(),
    timing: OneOf(['on_time', 'late']),
    isRepeat: Type.Boolean({ description: 'True for money that came when the charge was paid already.' }),
    cameAfter: Type.Optional(OneOf(CAME_AFTER, { description: 'What had ended the method before the money came.' })),
    source: Type.String({ description: 'Who told of it.' }),
    reference: Type.String({ description: "The bank's own word for it." }),
  },
  { $id: 'Payment', additionalProperties: false },
);

export const RefundView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    paymentId: Type.String({ format: 'uuid' }),
    amountCents: Type.Integer(),
    status: OneOf(REFUND_STATUSES),
    reason: Type.Optional(Type.String()),
    createdAt: DateTime(),
  },
  { $id: 'Refund', additionalProperties: false },
);

export const ChargeView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    accountId: Type.String(),
    externalId: Type.Optional(Type.String()),
    sourceKey: Type.Optional(Type.String()),
    state: OneOf(CHARGE_STATES, { description: 'What the charge as a whole is; see the states of a charge.' }),
    timing: Type.Optional(OneOf(['on_time', 'late'], { description: 'When the first money came.' })),
    paidAmount: Type.Optional(
      OneOf(['exact', 'partial', 'over'], { description: 'All money that came, beside what was owed.' }),
    ),
    amountCents: Type.Integer(),
    currency: OneOf(CURRENCIES),
    payable: Type.Object(
      {
        amountCents: Type.Integer({ description: 'What pix and boleto ask for, in reais.' }),
        currency: Type.Literal('BRL'),
        rate: Type.Optional(Type.String({ description: 'Reais for one unit of the currency, exact.' })),
        rateSource: Type.Optional(Type.String()),
        rateAt: Type.Optional(DateTime()),
      },
      { additionalProperties: false },
    ),
    customer: Type.Object({
      name: Type.String(),
      document: Type.String(),
      type: OneOf(['individual', 'company']),
      address: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
    taxes: Type.Optional(
      Type.Object(
        { fine: Type.Optional(Type.Number()), interest: Type.Optional(Type.Number()) },
        { additionalProperties: false },
      ),
    ),
    ...results,
    payments: Type.Array(Type.Unsafe<Static<typeof PaymentView>>({ $ref: 'Payment#' })),
    refunds: Type.Array(Type.Unsafe<Static<typeof RefundView>>({ $ref: 'Refund#' })),
    warnings: Type.Array(
      Type.Object(
        { path: Type.String(), code: Type.String(), message: Type.String() },
        { additionalProperties: false },
      ),
      { description: 'What is valid and yet looks like a mistake.' },
    ),
    transactionId: Type.Optional(
      Type.String({ format: 'uuid', description: 'The order of crypto that waits for its money.' }),
    ),
    dueAt: DateTime(),
    expireAt: DateTime(),
    createdAt: DateTime(),
  },
  { $id: 'Charge', additionalProperties: false },
);

export const CHARGE_SCHEMAS = [ChargeBody, BoletoResult, PixResult, CreatedCharge, PaymentView, RefundView, ChargeView];

const EXAMPLE_ID = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';

export const CREATED_EXAMPLE: Static<typeof CreatedCharge> = {
  id: EXAMPLE_ID,
  boleto: {
    success: true,
    status: 'CREATING',
    digitableLine: '99991763257480024098395153362157516560000015990',
    barcode: '99995165600000159901763274800240989515336215',
    pdfUrl: `/charges/${EXAMPLE_ID}/boleto.pdf`,
  },
  pix: {
    success: true,
    emv: '00020126410014br.gov.bcb.pix0119sandbox@example.com5204000053039865406159.905802BR5914Trilho Sandbox6009Sao Paulo6229052503F1MKBVSRFF8UP09VDWWL1CN63040299',
    status: 'CREATING',
    txid: '03F1MKBVSRFF8UP09VDWWL1CN',
    qrCodeUrl: `/charges/${EXAMPLE_ID}/pix.png`,
  },
};

export const VIEW_EXAMPLE: Static<typeof ChargeView> = {
  id: EXAMPLE_ID,
  accountId: 'acme',
  externalId: 'order-1042',
  state: 'ACTIVE',
  amountCents: 15_990,
  currency: 'BRL',
  payable: { amountCents: 15_990, currency: 'BRL' },
  customer: { name: 'Maria da Silva', document: '52998224725', type: 'individual' },
  taxes: { fine: 2, interest: 1 },
  boleto: { ...CREATED_EXAMPLE.boleto!, status: 'REGISTERED' },
  pix: { ...CREATED_EXAMPLE.pix!, status: 'ACTIVE' },
  payments: [],
  refunds: [],
  warnings: [],
  dueAt: '2026-12-11T02:59:59.000Z',
  expireAt: '2027-01-10T02:59:59.000Z',
  createdAt: '2026-11-16T06:33:20.240Z',
};
