// A charge in answers and events, and the list of charges.
import { type Static, type TObject, type TOptional, type TUnsafe, Type } from 'typebox';
import { CHARGE_STATES, DUE_CHANGE_STATUSES, PAID_AMOUNTS, statusesOf, TIMINGS } from '../charges/charge.ts';
import { WARNING_CODES, WARNING_PATHS } from '../charges/create/lint.ts';
import { CURRENCIES } from '../lib/currency.ts';
import type { MethodStatus } from '../rails/methods/method.ts';
import { byMethod, type FactsOf, METHOD_FACTS, METHODS, type Method } from '../rails/methods/methods.ts';
import { ChargeBody, MethodsBody } from './new-charge.ts';
import { noteViews } from './notes.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { PayerView } from './payers.ts';
import { PaymentView } from './payments.ts';
import { reductionFields } from './reductions.ts';
import { RefundView } from './refunds.ts';
import { DateTime, OneOf, optional, Ref, Text, Uuid } from './schemas.ts';

const success = Type.Boolean({ description: 'False when the rail refused this method.' });
const reason = Type.Optional(Type.String({ description: 'Why it was refused.' }));
const receivedCents = Type.Optional(Type.Integer({ description: 'The amount received by it, if any.' }));

/** `BoletoResult`, `PixResult`. */
const RESULTS = byMethod(method => {
  const status = OneOf<MethodStatus>(statusesOf(method), {
    description: 'CREATING at first; see the states of a charge.',
  });
  const fields = METHOD_FACTS[method].fields({ success, status, reason, receivedCents });
  const $id = `${method.charAt(0).toUpperCase()}${method.slice(1)}Result`;
  return Type.Object(fields, { $id, additionalProperties: false });
});

type Result<M extends Method> = Static<TObject<ReturnType<FactsOf[M]['fields']>>>;

const results = optional(byMethod(method => Ref(RESULTS[method]))) as {
  readonly [M in Method]: TOptional<TUnsafe<Result<M>>>;
};

export const CreatedCharge = Type.Object(
  { id: Uuid(), ...results },
  { $id: 'CreatedCharge', additionalProperties: false },
);

export const ChargeView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.String(),
    externalId: Type.Optional(Type.String()),
    sourceKey: Type.Optional(Type.String()),
    ...noteViews,
    state: OneOf(CHARGE_STATES, { description: 'The state of the charge as a whole; see the states of a charge.' }),
    timing: Type.Optional(OneOf(TIMINGS, { description: 'When the first payment came, relative to the due date.' })),
    paidAmount: Type.Optional(
      OneOf(PAID_AMOUNTS, { description: 'All money received, compared with the amount due.' }),
    ),
    amountCents: Type.Integer(),
    currency: OneOf(CURRENCIES),
    payable: Type.Object(
      {
        amountCents: Type.Integer({ description: 'The amount of pix and boleto, in reais.' }),
        currency: Type.Literal('BRL'),
        rate: Type.Optional(Type.String({ description: 'Reais for one unit of the currency, exact.' })),
        rateSource: Type.Optional(Type.String()),
        rateAt: Type.Optional(DateTime()),
      },
      { additionalProperties: false },
    ),
    customer: PayerView,
    customerId: Type.Optional(Uuid({ description: 'The customer whose id the charge was created with.' })),
    taxes: Type.Optional(
      Type.Object(
        { fine: Type.Optional(Type.Number()), interest: Type.Optional(Type.Number()) },
        { additionalProperties: false },
      ),
    ),
    ...reductionFields,
    ...results,
    checkoutUrl: Type.String({
      format: 'uri-reference',
      description: 'The page to send to the payer: anyone who has the link may see and pay the charge.',
    }),
    payments: Type.Array(Ref(PaymentView)),
    refunds: Type.Array(Ref(RefundView)),
    warnings: Type.Array(
      Type.Object(
        { path: OneOf(WARNING_PATHS), code: OneOf(WARNING_CODES), message: Type.String() },
        { additionalProperties: false },
      ),
      { description: 'Valid input that looks like a mistake.' },
    ),
    transactionId: Type.Optional(Uuid({ description: 'The order of crypto that this charge pays for.' })),
    remainderId: Type.Optional(Uuid({ description: 'The charge for the rest of this one.' })),
    remainderOf: Type.Optional(Uuid({ description: 'The partially paid charge of which this one charges the rest.' })),
    instalment: Type.Optional(
      Type.Object(
        { instalmentPlanId: Uuid(), number: Type.Integer({ minimum: 1 }) },
        { additionalProperties: false, description: 'Which instalment it is, and of which plan.' },
      ),
    ),
    subscriptionId: Type.Optional(Uuid({ description: 'The subscription that this charge is made for.' })),
    cycle: Type.Optional(Type.Integer({ minimum: 1, description: 'Which of its cycles, from 1.' })),
    dueChange: Type.Optional(
      Type.Object(
        {
          dueAt: DateTime(),
          status: OneOf(DUE_CHANGE_STATUSES, { description: 'PENDING until the bank has answered.' }),
          reason: Type.Optional(Type.String({ description: 'Why it failed.' })),
        },
        { additionalProperties: false, description: 'The last requested change of the due date.' },
      ),
    ),
    dueAt: DateTime(),
    expireAt: DateTime(),
    createdAt: DateTime(),
  },
  { $id: 'Charge', additionalProperties: false },
);

export const ChargesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only charges of this account.' })),
    state: Type.Optional(OneOf(CHARGE_STATES, { description: 'Only charges in this state.' })),
    externalId: Type.Optional(Text({ description: 'Only charges with this id of yours.' })),
    customerId: Type.Optional(
      Uuid({
        description: 'Only charges of this customer: created with its id or, unless it is separate, for its document.',
      }),
    ),
    sourceKey: Type.Optional(Text({ description: 'Only charges from this source.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const ChargesPage = Type.Object(
  { charges: Type.Array(Ref(ChargeView)), ...pageCounts },
  { $id: 'ChargesPage', additionalProperties: false },
);

const MAX_URL_LENGTH = 2_000;
const EXAMPLE_CHECKOUT = 'https://pay.example.com/pay/AZqLXjxwfSqfQWsMXY4qFwDwQ2y6tB7mXr4nVw0kL9s';

export const WithdrawalBody = Type.Object(
  { checkoutUrl: Text({ maxLength: MAX_URL_LENGTH, description: 'The link to withdraw, as in the charge.' }) },
  { $id: 'CheckoutWithdrawal', additionalProperties: false, examples: [{ checkoutUrl: EXAMPLE_CHECKOUT }] },
);

export const DueDateBody = Type.Object(
  { dueAt: DateTime({ description: 'RFC 3339, any offset.' }) },
  { $id: 'NewDueDate', additionalProperties: false, examples: [{ dueAt: '2026-12-20T23:59:59-03:00' }] },
);

export const RemainderBody = Type.Object(
  {
    methods: Type.Optional(MethodsBody),
    dueAt: Type.Optional(
      DateTime({
        description: 'When absent, as in the first charge, but not before the end of the third day from now.',
      }),
    ),
    expireAt: Type.Optional(DateTime({ description: 'Not before dueAt; 30 days after it when absent.' })),
  },
  { $id: 'NewRemainder', additionalProperties: false, examples: [{ methods: ['pix'] }] },
);

export const CHARGE_SCHEMAS = [
  ...[ChargeBody, ...METHODS.map(method => RESULTS[method]), CreatedCharge, ChargeView, ChargesPage],
  ...[WithdrawalBody, DueDateBody, RemainderBody],
];

const EXAMPLE_ID = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';

const BOLETO_EXAMPLE: Result<'boleto'> = {
  success: true,
  status: 'CREATING',
  digitableLine: '99991763257480024098395153362157516560000015990',
  barcode: '99995165600000159901763274800240989515336215',
  pdfUrl: `/charges/${EXAMPLE_ID}/boleto.pdf`,
};

const PIX_EXAMPLE: Result<'pix'> = {
  success: true,
  emv: '00020126410014br.gov.bcb.pix0119sandbox@example.com5204000053039865406159.905802BR5914Trilho Sandbox6009Sao Paulo6229052503F1MKBVSRFF8UP09VDWWL1CN63040299',
  status: 'CREATING',
  txid: '03F1MKBVSRFF8UP09VDWWL1CN',
  qrCodeUrl: `/charges/${EXAMPLE_ID}/pix.png`,
};

export const CREATED_EXAMPLE: Static<typeof CreatedCharge> = {
  id: EXAMPLE_ID,
  boleto: BOLETO_EXAMPLE,
  pix: PIX_EXAMPLE,
};

export const CHARGE_EXAMPLE: Static<typeof ChargeView> = {
  id: EXAMPLE_ID,
  accountId: 'acme',
  externalId: 'order-1050',
  state: 'ACTIVE',
  amountCents: 15_990,
  currency: 'BRL',
  payable: { amountCents: 15_990, currency: 'BRL' },
  customer: { name: 'Maria da Silva', document: '52998224725', type: 'individual' },
  taxes: { fine: 2, interest: 1 },
  discounts: [{ percent: 5, until: '2026-11-30' }],
  boleto: { ...BOLETO_EXAMPLE, status: 'REGISTERED' },
  pix: { ...PIX_EXAMPLE, status: 'ACTIVE' },
  checkoutUrl: EXAMPLE_CHECKOUT,
  payments: [],
  refunds: [],
  warnings: [],
  dueAt: '2026-12-11T02:59:59.000Z',
  expireAt: '2027-01-10T02:59:59.000Z',
  createdAt: '2026-11-16T06:33:20.240Z',
};

export const CHARGES_EXAMPLE: Static<typeof ChargesPage> = {
  charges: [CHARGE_EXAMPLE],
  ...ONE_PAGE,
};
