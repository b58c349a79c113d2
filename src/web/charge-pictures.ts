// What a payer is shown of a charge: the QR code of its pix, the page of its boleto.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { type ChargeMethod, isOf, type LivingCharge } from '../charges/charge.ts';
import { isUnpaid } from '../charges/life.ts';
import { owedOn } from '../charges/owed.ts';
import { chargeParams, requireCharge } from '../http/charge-params.ts';
import { problemResponses } from '../http/responses.ts';
import { civilDay } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { BoletoInstrument, Method } from '../rails/rail.ts';
import type { Sql } from '../storage/database.ts';
import type { BoletoSlip } from './boleto/slip.ts';

type Deps = { readonly db: Sql; readonly mode: Mode };

export function chargePictureRoutes(app: FastifyInstance, deps: Deps): void {
  const picture = (
    path: string,
    operationId: string,
    summary: string,
    type: string,
    draw: (charge: LivingCharge) => Promise<string | Buffer>,
  ) =>
    app.get<{ Params: { id: string } }>(
      `/charges/:id/${path}`,
      {
        config: { scope: 'charges:read' },
        schema: {
          operationId,
          summary,
          tags: ['Charges'],
          params: chargeParams,
          response: {
            200: {
              description: summary,
              content: { [type]: { schema: Type.String({ format: 'binary' }), example: 'a picture' } },
            },
            ...problemResponses('malformed_request', 'not_found', 'wrong_state'),
          },
        },
      },
      async (request, reply): Promise<FastifyReply> => {
        const drawn = await draw(await requireCharge(deps.db, request));
        // A shop shows it on its own page.
        return reply.type(type).header('cross-origin-resource-policy', 'cross-origin').send(drawn);
      },
    );

  // What draws is loaded with the first picture: a service that shows none starts without it.
  picture('pix.svg', 'getPixSvg', 'The QR code of the pix, as SVG', 'image/svg+xml', async charge => {
    const { qrSvg } = await import('./qr-code.ts');
    return qrSvg(instrumentOf(charge, 'pix').emv);
  });
  picture('pix.png', 'getPixPng', 'The QR code of the pix, as PNG', 'image/png', async charge => {
    const { qrPng } = await import('./qr-code.ts');
    return qrPng(instrumentOf(charge, 'pix').emv);
  });
  picture('boleto.pdf', 'getBoletoPdf', 'The boleto as a page to print', 'application/pdf', async charge => {
    const { boletoPdf } = await import('./boleto-pdf.ts');
    return boletoPdf(slipOf(charge, instrumentOf(charge, 'boleto'), deps.mode));
  });
}

function instrumentOf<M extends Method>(charge: LivingCharge, method: M): NonNullable<ChargeMethod<M>['instrument']> {
  const way = charge.ways.find(isOf(method));
  if (!way?.instrument || way.status === 'FAILED') throw new AppError('not_found', `This charge has no ${method}.`);
  // A picture invites to pay: there is none of what may no longer be paid.
  if (!isUnpaid(way)) throw new AppError('wrong_state', `The ${method} of this charge is ${way.status}.`);
  return way.instrument;
}

/** The receiver of a sandbox, who has no document and no account. */
const SANDBOX_BENEFICIARY = {
  name: 'Trilho Sandbox',
  document: '00000000000000',
  agency: '0001',
  code: '0000001',
};

function slipOf(charge: LivingCharge, { barcode, ourNumber }: BoletoInstrument, mode: Mode): BoletoSlip {
  const { customer, payableCents, finePercent, interestPercent } = charge;
  const dueDay = civilDay(charge.dueAt);
  const issuedDay = civilDay(charge.createdAt);
  const pix = charge.ways.find(isOf('pix'));
  const emv = pix && isUnpaid(pix) ? pix.instrument?.emv : undefined;
  return {
    bankName: 'Sandbox',
    barcode,
    ourNumber,
    wallet: '01',
    documentNumber: charge.externalId ?? charge.id,
    issuedDay,
    processedDay: issuedDay,
    dueDay,
    lastPayableDay: owedOn(charge, 'boleto', dueDay).lastPayableDay,
    amountCents: payableCents,
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    beneficiary: SANDBOX_BENEFICIARY,
    payer: {
      name: customer.name,
      document: customer.document,
      ...(customer.address && { address: customer.address }),
    },
    ...(emv !== undefined && { pixEmv: emv }),
    sandbox: mode === 'sandbox',
  };
}
