// Routes of the pictures of a charge: the QR code of its pix, the PDF of its boleto.
import type { FastifyInstance } from 'fastify';
import { type Charge, type ChargeMethod, isOf, payableReductions } from '../charges/charge.ts';
import { isUnpaid } from '../charges/life.ts';
import type { Links } from '../charges/links/links.ts';
import { owedOn } from '../charges/owed.ts';
import { requireCharge } from '../charges/require.ts';
import { Binary, media } from '../http/server/answers.ts';
import { idOf } from '../http/server/path.ts';
import { defineRoute } from '../http/server/route.ts';
import { civilDay } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Method } from '../rails/methods/methods.ts';
import type { SlipIssuer } from '../rails/rail.ts';
import { type Rails, railNamed } from '../rails/rails.ts';
import { reductionOf } from '../rails/reductions.ts';
import type { Sql } from '../storage/database.ts';
import type { BoletoSlip } from './boleto/slip.ts';

/** Where the slip of a boleto comes from. */
export type SlipDeps = { readonly mode: Mode; readonly links: Links; readonly rails: Rails };

type Deps = SlipDeps & { readonly db: Sql };

export function chargePictureRoutes(app: FastifyInstance, deps: Deps): void {
  const picture = (
    file: string,
    operationId: string,
    summary: string,
    type: string,
    draw: (charge: Charge) => Promise<string | Buffer>,
  ) =>
    defineRoute(app, {
      method: 'GET',
      url: `/charges/:id/${file}`,
      operationId,
      summary,
      tag: 'Charges',
      path: idOf('charge'),
      answer: media<string | Buffer>(type, Binary, summary, 'a picture'),
      problems: ['wrong_state'],
      handle: async ({ path, caller }, reply) => {
        const drawn = await draw(await requireCharge(deps.db, path.id, caller?.accountId));
        // Other sites may embed the picture.
        reply.header('cross-origin-resource-policy', 'cross-origin');
        return drawn;
      },
    });

  picture('pix.svg', 'getPixSvg', 'The QR code of the pix, as SVG', 'image/svg+xml', pixSvg);
  picture('pix.png', 'getPixPng', 'The QR code of the pix, as PNG', 'image/png', pixPng);
  picture('boleto.pdf', 'getBoletoPdf', 'The boleto as a page to print', 'application/pdf', charge =>
    boletoFile(deps, charge),
  );
}

// The drawing libraries are loaded with the first picture, so that the service starts faster.

export async function pixSvg(charge: Charge): Promise<string> {
  const { qrSvg } = await import('./qr-code.ts');
  return qrSvg(payableMethod(charge, 'pix').instrument.emv);
}

export async function pixPng(charge: Charge): Promise<Buffer> {
  const { qrPng } = await import('./qr-code.ts');
  return qrPng(payableMethod(charge, 'pix').instrument.emv);
}

export async function boletoFile({ mode, links, rails }: SlipDeps, charge: Charge): Promise<Buffer> {
  const { boletoPdf } = await import('./boleto-pdf.ts');
  return boletoPdf({ ...slipOf(rails, charge, mode), checkoutUrl: links.checkoutUrl(charge) });
}

type PayableMethod<M extends Method> = Required<Pick<ChargeMethod<M>, 'reference' | 'instrument'>> & {
  readonly rail: string;
};

function payableMethod<M extends Method>(charge: Charge, method: M): PayableMethod<M> {
  const found = charge.methods.find(isOf(method));
  if (!found || found.status === 'FAILED') throw new AppError('not_found', `This charge has no ${method}.`);
  // A method that must no longer be paid has no picture.
  if (!isUnpaid(found)) throw new AppError('wrong_state', `The ${method} of this charge is ${found.status}.`);
  const { rail, reference, instrument } = found;
  if (reference === undefined || !instrument) {
    throw new AppError('wrong_state', `The bank has not registered the ${method} of this charge yet.`);
  }
  return { rail, reference, instrument };
}

/** The made-up bank and receiver of a sandbox, without a document or an account. */
function sandboxIssuer({ id, externalId }: Charge, reference: string): SlipIssuer {
  return {
    bankName: 'Sandbox',
    ourNumber: reference,
    carteira: '01',
    documentNumber: externalId ?? id,
    beneficiary: { name: 'Trilho Sandbox', document: '00000000000000', agency: '0001', code: '0000001' },
  };
}

export function slipOf(rails: Rails, charge: Charge, mode: Mode): BoletoSlip {
  const { rail, reference, instrument } = payableMethod(charge, 'boleto');
  const { barcode, pix: own } = instrument;
  const issuer = railNamed(rails, 'boleto', rail).slip?.(reference, instrument) ?? sandboxIssuer(charge, reference);
  const { customer, payableCents, finePercent, interestPercent } = charge;
  const { abatement, discounts } = payableReductions(charge);
  const dueDay = civilDay(charge.dueAt);
  const issuedDay = civilDay(charge.createdAt);
  const pix = charge.methods.find(isOf('pix'));
  // That of the boleto dies with it, so it goes first.
  const emv = own?.emv ?? (pix && isUnpaid(pix) ? pix.instrument?.emv : undefined);
  return {
    ...issuer,
    barcode,
    issuedDay,
    processedDay: issuedDay,
    dueDay,
    lastPayableDay: owedOn(charge, 'boleto', dueDay).lastPayableDay,
    amountCents: payableCents,
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    ...(abatement && { abatementCents: reductionOf(payableCents, abatement) }),
    ...(discounts && { discounts }),
    payer: {
      name: customer.name,
      document: customer.document,
      ...(customer.address && { address: customer.address }),
    },
    ...(emv !== undefined && { pixEmv: emv }),
    sandbox: mode === 'sandbox',
  };
}
