// The simulated banks of a sandbox with agreements: files go to them, payers pay there, and they report by file.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { READ_RETURN_EXAMPLE, ReadBoletoReturn } from '../../api/boleto-returns.ts';
import { MAX_CENTS } from '../../api/payments.ts';
import { OneOf, Ref, Uuid } from '../../api/schemas.ts';
import { fileParts, type MakeDeps } from '../../charges/bank-files/make-file.ts';
import { takeFiles } from '../../charges/bank-files/offer-files.ts';
import { type ReadDeps, readReturn } from '../../charges/bank-files/read-return.ts';
import { readReturnView } from '../../charges/bank-files/return-view.ts';
import { ok } from '../../http/server/answers.ts';
import { pathOf } from '../../http/server/path.ts';
import { defineRoute } from '../../http/server/route.ts';
import { addDays, civilDay } from '../../lib/civil-days.ts';
import { AppError, noSuch } from '../../lib/errors.ts';
import { txidOf } from '../../rails/br-code.ts';
import type { Database } from '../../storage/database.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';
import { type BankTitle, type CnabBank, numbersIn } from '../cnab-bank/bank.ts';
import type { Customer } from '../cnab-bank/customer.ts';
import { type AskedTitles, withBank } from '../cnab-bank/store.ts';
import { FileRefused } from '../cnab-bank/take-file.ts';

const TakenView = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          sequence: Type.Integer({ minimum: 1 }),
          titles: Type.Integer({ minimum: 0 }),
          refusal: Type.Optional(Type.String({ description: 'Why the bank refused the whole file.' })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'SandboxBankFiles', additionalProperties: false },
);

const ACTS = ['pay', 'write_off', 'reverse'] as const;
const ActBody = Type.Object(
  {
    chargeId: Uuid(),
    act: OneOf(ACTS, {
      description:
        '`pay`: the payer pays the boleto; `write_off`: the bank ends it because it expired; `reverse`: the bank takes the payment back.',
    }),
    amountCents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_CENTS,
        description: 'The amount of a payment; the amount of the boleto when absent.',
      }),
    ),
  },
  {
    $id: 'SandboxBankAct',
    additionalProperties: false,
    examples: [{ chargeId: '01963e2a-7b1c-7def-8a90-1b2c3d4e5f60', act: 'pay' }],
  },
);

const TitleView = Type.Object(
  {
    number: Type.String({ description: 'The nosso número as the file had it.' }),
    status: OneOf(['open', 'paid', 'written_off']),
  },
  { $id: 'SandboxBankTitle', additionalProperties: false },
);

const ReturnBody = Type.Object(
  { read: Type.Optional(Type.Boolean({ description: '`false`: the file is made but not read here.' })) },
  { $id: 'SandboxBankReturn', additionalProperties: false, examples: [{}] },
);

const ReturnedView = Type.Object(
  { file: Type.String({ description: 'The return file.' }), read: Type.Optional(Ref(ReadBoletoReturn)) },
  { $id: 'SandboxBankReturned', additionalProperties: false },
);

export const BANK_SCHEMAS = [TakenView, ActBody, TitleView, ReturnBody, ReturnedView];

export type BankRouteDeps = MakeDeps &
  ReadDeps & { readonly db: Database; readonly clock: SandboxClock; readonly customers: ReadonlyMap<string, Customer> };

const FEE_CENTS = 190n;
const CASH = '03';
const RAN_OUT = '13';
const tag = 'Sandbox';
const path = pathOf({ agreement: Type.String() }, { agreement: 'agreement' });
const TAKEN_EXAMPLE: Static<typeof TakenView> = { files: [{ sequence: 7, titles: 3 }] };
const TITLE_EXAMPLE: Static<typeof TitleView> = { number: '0000000426010104', status: 'paid' };

export function bankRoutes(app: FastifyInstance, deps: BankRouteDeps): void {
  const { db, clock, customers } = deps;
  const customerOf = (agreement: string): Customer => {
    const customer = customers.get(agreement);
    if (!customer) throw noSuch('agreement');
    return customer;
  };
  const atBank = <T>(agreement: string, asked: AskedTitles, work: (bank: CnabBank) => T): Promise<T> =>
    withBank({ db, rail: agreement, customer: customerOf(agreement) }, asked, work);

  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/banks/:agreement/files',
    operationId: 'sendToSandboxBank',
    summary: 'Send waiting instructions to the bank',
    description:
      'Sandbox only. Makes files of the waiting instructions of an agreement; the simulated bank processes them.',
    tag,
    path,
    answer: ok(TakenView, 'What the bank accepted', TAKEN_EXAMPLE),
    handle: async ({ path: { agreement } }) => {
      await clock.refresh();
      const today = civilDay(clock.now());
      const customer = customerOf(agreement);
      const files: Static<typeof TakenView>['files'] = [];
      await takeFiles(deps, agreement, async ({ sequence, titles }) => {
        const parts: Buffer[] = [];
        for await (const part of fileParts(db, { rail: agreement, sequence })) parts.push(part);
        const bytes = Buffer.concat(parts);
        const asked = { numbers: numbersIn(customer, bytes) };
        const refusal = await atBank(agreement, asked, bank => refusalOf(() => bank.take(bytes, today)));
        files.push({ sequence, titles, ...(refusal !== undefined && { refusal }) });
      });
      return { files };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/banks/:agreement/titles',
    operationId: 'actAtSandboxBank',
    summary: 'Simulate an action on a boleto at the bank',
    description: 'Sandbox only. The service learns of it from the next return.',
    tag,
    path,
    body: ActBody,
    answer: ok(TitleView, 'The boleto at the bank', TITLE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { agreement }, body: { chargeId, act, amountCents } }) => {
      await clock.refresh();
      const day = civilDay(clock.now());
      return atBank(agreement, { ownId: txidOf(chargeId) }, bank => {
        const { number, amountCents: asked, status } = titleOf(bank, chargeId);
        if (act === 'reverse' && status !== 'paid') throw new AppError('wrong_state', 'The boleto is not paid.');
        if (act === 'reverse' && !bank.reportsReversals) {
          throw new AppError('wrong_state', 'This bank does not report reversals in its files.');
        }
        if (act === 'write_off' && status !== 'open') throw new AppError('wrong_state', 'The boleto is not open.');
        const paidCents = amountCents === undefined ? asked : BigInt(amountCents);
        const payment = { day, amountCents: paidCents, creditDay: addDays(day, 1), feeCents: FEE_CENTS, channel: CASH };
        if (act === 'pay') bank.pay(number, payment);
        if (act === 'write_off') bank.writeOff(number, day, RAN_OUT);
        if (act === 'reverse') bank.reverse(number, day);
        return { number: number.trim(), status: titleOf(bank, chargeId).status };
      });
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/banks/:agreement/returns',
    operationId: 'fetchFromSandboxBank',
    summary: 'Fetch the next return of the bank',
    description: 'Sandbox only. The bank makes its next return file, and the service reads it.',
    tag,
    path,
    body: ReturnBody,
    answer: ok(ReturnedView, 'The file and the result of reading it', { file: '75600000…', read: READ_RETURN_EXAMPLE }),
    handle: async ({ path: { agreement }, body: { read = true } }) => {
      await clock.refresh();
      const head = { day: civilDay(clock.now()), time: '180000' };
      const bytes = await atBank(agreement, {}, bank => bank.makeReturn(head));
      const file = bytes.toString('latin1');
      return read ? { file, read: readReturnView(await readReturn(deps, bytes, agreement)) } : { file };
    },
  });
}

function titleOf(bank: CnabBank, chargeId: string): BankTitle {
  const title = Object.values(bank.state().titles).find(({ ownId }) => ownId.trim() === txidOf(chargeId));
  if (!title) throw new AppError('not_found', 'The bank has no boleto of this charge.');
  return title;
}

function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof FileRefused) return error.message;
    throw error;
  }
}
