// Draws a slip of a carnê, a third of the page: the payer's stub on the left, the ficha de compensação on the right of the cut.
import { qrPath } from '../qr-code.ts';
import { drawCompensationSlip } from './compensation-slip.ts';
import { drawField, LABEL } from './fields.ts';
import { reais, writtenDay, writtenDocument } from './format.ts';
import { PAGE_HEIGHT } from './page.ts';
import { drawRule, drawText, fillPath, type Paper } from './paper.ts';
import type { CarneSlip } from './slip.ts';

/** Each is 99 mm high, within the 95 to 108 mm of a ficha de compensação. */
export const SLIPS_ON_A_PAGE = 3;
const SLIP_HEIGHT = PAGE_HEIGHT / SLIPS_ON_A_PAGE;

const STUB_X = 6;
const STUB_WIDTH = 41;
const CUT_X = 50;
/** 6 mm right of the cut: the bars need 5 mm without ink beside them. */
const BANK_X = 56;
const BANK_WIDTH = 148;
const PAGE_WIDTH = 210;

const FIELD_HEIGHT = 6.2;
const QR_SIZE = 30;

/** `position` counts the slips of the page from 0. */
export function drawCarneSlip(paper: Paper, slip: CarneSlip, position: number): void {
  const y = position * SLIP_HEIGHT;
  drawCuts(paper, y, position);
  drawStub(paper, slip, y);
  drawCompensationSlip(paper, slip, { x: BANK_X, y, width: BANK_WIDTH, height: SLIP_HEIGHT });
}

function drawCuts(paper: Paper, y: number, position: number): void {
  paper.save().dash(1, { space: 1.5 });
  if (position > 0) drawRule(paper, [0, y], [PAGE_WIDTH, y]);
  drawRule(paper, [CUT_X, y], [CUT_X, y + SLIP_HEIGHT]);
  paper.restore();
}

function drawStub(paper: Paper, slip: CarneSlip, top: number): void {
  const { beneficiary, payer } = slip;
  const { kind, number } = writtenDocument(beneficiary.document);
  const line = (y: number) => ({ x: STUB_X, y: top + y, width: STUB_WIDTH });
  drawText(paper, 'Recibo do pagador', line(7), { size: 7.5, bold: true });
  drawText(paper, beneficiary.name, line(10.5), { size: 7, leastSize: 5 });
  drawText(paper, `${kind} ${number}`, line(13.5), { size: 6.5, leastSize: 5, ink: 'label' });
  const fields = [
    { label: 'Parcela', value: `${slip.number}/${slip.count}` },
    { label: 'Vencimento', value: writtenDay(slip.dueDay), strong: true },
    { label: 'Valor do documento', value: `R$ ${reais(slip.amountCents)}`, strong: true },
    { label: 'Nosso número', value: slip.ourNumber },
    { label: 'Número do documento', value: slip.documentNumber },
    { label: 'Pagador', value: payer.name },
    { label: `${writtenDocument(payer.document).kind} do pagador`, value: writtenDocument(payer.document).number },
  ];
  for (const [index, field] of fields.entries()) {
    const y = top + 15.5 + index * FIELD_HEIGHT;
    drawField(paper, { x: STUB_X, y, width: STUB_WIDTH, height: FIELD_HEIGHT }, field);
  }
  const below = 15.5 + fields.length * FIELD_HEIGHT;
  if (slip.pixEmv === undefined) {
    drawText(paper, 'Autenticação mecânica', line(below + 3), LABEL);
    return;
  }
  drawText(paper, 'Pague por Pix, uma só vez:', line(below + 3), { size: 6.5 });
  const { size, path } = qrPath(slip.pixEmv);
  fillPath(paper, path, STUB_X + (STUB_WIDTH - QR_SIZE) / 2, top + below + 5.2, QR_SIZE / size);
}
