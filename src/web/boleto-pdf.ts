// The boleto as one A4 page: the payer's receipt above, the bank's ficha de compensação below.
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { drawCompensationSlip } from './boleto/compensation-slip.ts';
import { reais, writtenDay } from './boleto/format.ts';
import { toLatin } from './boleto/latin.ts';
import { drawCut, drawReceipt } from './boleto/receipt.ts';
import type { BoletoSlip } from './boleto/slip.ts';

/**
 * The same slip gives the same bytes: the date of the file is that of the document, and its id is derived from title and
 * date. Any text is printable; a text that is too long is shrunk, then cut. Asserts a barcode of 44 digits.
 */
export async function boletoPdf(slip: BoletoSlip): Promise<Buffer> {
  const beneficiary = toLatin(slip.beneficiary.name);
  const paper = new PDFDocument({
    size: 'A4',
    margin: 0,
    lang: 'pt-BR',
    displayTitle: true,
    info: {
      Title: `Boleto ${slip.ourNumber} de ${beneficiary}, R$ ${reais(slip.amountCents)}, ${writtenDay(slip.dueDay)}`,
      Author: beneficiary,
      Creator: 'Trilho',
      Producer: 'Trilho',
      CreationDate: new Date(`${slip.issuedDay}T12:00:00Z`),
    },
  });
  drawReceipt(paper, slip);
  drawCut(paper);
  drawCompensationSlip(paper, slip);
  paper.end();
  return buffer(paper);
}
