// Boletos as A4 pages: one boleto a page, with the payer's receipt above and the bank's ficha de compensação below; or a carnê, three slips
// a page.
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { drawCarneSlip, type SLIPS_ON_A_PAGE } from './boleto/carne-slip.ts';
import { drawCompensationSlip } from './boleto/compensation-slip.ts';
import { reais, writtenDay } from './boleto/format.ts';
import { toLatin } from './boleto/latin.ts';
import type { Paper } from './boleto/paper.ts';
import { drawCut, drawReceipt } from './boleto/receipt.ts';
import type { BoletoSlip, CarneSlip } from './boleto/slip.ts';

/**
 * The same slip gives the same bytes: the date of the file is that of the document, and its id is derived from title and
 * date. Any text is printable; a text that is too long is shrunk, then cut. Asserts a barcode of 44 digits.
 */
export async function boletoPdf(slip: BoletoSlip): Promise<Buffer> {
  const { ourNumber, beneficiary, amountCents, dueDay } = slip;
  const title = `Boleto ${ourNumber} de ${toLatin(beneficiary.name)}, R$ ${reais(amountCents)}, ${writtenDay(dueDay)}`;
  const paper = openPaper(slip, title);
  drawPage(paper, slip);
  paper.end();
  return buffer(paper);
}

/** The slips of an instalment plan, at least one: three a page, to be cut, or one boleto a page. Otherwise as `boletoPdf`. */
export async function slipsPdf(slips: readonly CarneSlip[], perPage: 1 | typeof SLIPS_ON_A_PAGE): Promise<Buffer> {
  const first = slips[0]!;
  const paper = openPaper(first, `Carnê de ${toLatin(first.beneficiary.name)}, ${first.count} parcelas`);
  for (const [index, slip] of slips.entries()) {
    if (index > 0 && index % perPage === 0) paper.addPage();
    if (perPage === 1) drawPage(paper, slip);
    else drawCarneSlip(paper, slip, index % perPage);
    // Sixty slips take longer than other requests should wait.
    await nextTurn();
  }
  paper.end();
  return buffer(paper);
}

function openPaper({ beneficiary, issuedDay }: BoletoSlip, title: string): Paper {
  return new PDFDocument({
    size: 'A4',
    margin: 0,
    lang: 'pt-BR',
    displayTitle: true,
    info: {
      Title: title,
      Author: toLatin(beneficiary.name),
      Creator: 'Trilho',
      Producer: 'Trilho',
      CreationDate: new Date(`${issuedDay}T12:00:00Z`),
    },
  });
}

function drawPage(paper: Paper, slip: BoletoSlip): void {
  drawReceipt(paper, slip);
  drawCut(paper);
  drawCompensationSlip(paper, slip);
}
