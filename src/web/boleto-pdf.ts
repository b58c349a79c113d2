// The boleto as one A4 page: the payer's receipt above, the bank's ficha de compensação below.
import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { drawCompensationSlip } from './boleto/compensation-slip.ts';
import { toLatin } from './boleto/latin.ts';
import { drawCut, drawReceipt } from './boleto/receipt.ts';
import type { BoletoSlip } from './boleto/slip.ts';
import { reais, writtenDay } from './boleto/words.ts';

/**
 * The same slip gives the same bytes: the file's date is the document's, and its id comes from its title and date.
 * Any text is printable; what is too long shrinks, then it is cut. Asserts a barcode of 44 digits.
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
