// Draws the upper half, «recibo do pagador», which the payer keeps. Its layout is free; its required contents are not.
import { qrPath } from '../qr-code.ts';
import { drawLabelledBox, drawRow, inside, LABEL, VALUE } from './fields.ts';
import {
  addressLines,
  instructions,
  reais,
  SANDBOX_WARNING,
  writtenBankCode,
  writtenDay,
  writtenDocument,
  writtenLine,
} from './format.ts';
import { CUT_Y, LEFT, RIGHT, WIDTH } from './page.ts';
import { drawRule, drawText, fillBoxes, fillPath, frameBox, type Paper } from './paper.ts';
import type { BoletoSlip } from './slip.ts';

const TOP = 12;
const ROW_HEIGHT = 8;
const GAP = 6;

/** Each part gets the y where it begins and returns the y where it ends. */
export function drawReceipt(paper: Paper, slip: BoletoSlip): void {
  let y = TOP;
  if (slip.sandbox) y = drawWarning(paper, y) + GAP;
  y = drawBeneficiary(paper, slip, y) + GAP;
  y = drawSummary(paper, slip, y) + GAP;
  y = drawLine(paper, slip, y) + GAP;
  if (slip.pixEmv !== undefined) y = drawPix(paper, slip.pixEmv, y) + GAP;
  y = drawRecord(paper, slip, y);
  const foot = { x: LEFT, y: y + 2.6, width: WIDTH };
  drawText(paper, 'Autenticação mecânica - Recibo do pagador', foot, { ...LABEL, align: 'right' });
}

/** The cut line between the halves. */
export function drawCut(paper: Paper): void {
  paper.save().dash(1, { space: 1.5 });
  drawRule(paper, [LEFT, CUT_Y], [RIGHT, CUT_Y]);
  paper.restore();
  drawText(paper, 'Corte na linha pontilhada', { x: LEFT, y: CUT_Y - 1, width: WIDTH }, { ...LABEL, align: 'right' });
}

function drawWarning(paper: Paper, y: number): number {
  const box = { x: LEFT, y, width: WIDTH, height: 8 };
  frameBox(paper, box);
  drawText(paper, SANDBOX_WARNING, { x: LEFT, y: y + 5.3, width: WIDTH }, { size: 10, bold: true, align: 'center' });
  return y + box.height;
}

function drawBeneficiary(paper: Paper, { beneficiary }: BoletoSlip, y: number): number {
  const width = 140;
  const { kind, number } = writtenDocument(beneficiary.document);
  const address = addressLines(beneficiary.address).filter(line => line !== '');
  const small = { size: 8, leastSize: 6, ink: 'label' } as const;
  drawText(paper, beneficiary.name, { x: LEFT, y: y + 5, width }, { size: 15, leastSize: 9, bold: true });
  for (const [index, line] of [`${kind} ${number}`, ...address].entries()) {
    drawText(paper, line, { x: LEFT, y: y + 10 + index * 3.6, width }, small);
  }
  const title = { x: RIGHT - 48, y: y + 5, width: 48 };
  drawText(paper, 'Recibo do pagador', title, { size: 10, bold: true, align: 'right' });
  return y + 11 + address.length * 3.6;
}

function drawSummary(paper: Paper, slip: BoletoSlip, y: number): number {
  const height = 16;
  const columns = [
    { label: 'Valor', value: `R$ ${reais(slip.amountCents)}`, width: 76 },
    { label: 'Vencimento', value: writtenDay(slip.dueDay), width: 57 },
    { label: 'Pagável até', value: writtenDay(slip.lastPayableDay), width: 57 },
  ];
  let x = LEFT;
  for (const { label, value, width } of columns) {
    drawText(paper, label, { x, y: y + 4.5, width: width - 4 }, { size: 7.5, ink: 'label' });
    drawText(paper, value, { x, y: y + 12.5, width: width - 4 }, { size: 19, leastSize: 12, bold: true });
    x += width;
  }
  drawRule(paper, [LEFT, y], [RIGHT, y]);
  drawRule(paper, [LEFT, y + height], [RIGHT, y + height]);
  return y + height;
}

function drawLine(paper: Paper, { bankName, barcode }: BoletoSlip, y: number): number {
  const box = { x: LEFT, y, width: WIDTH, height: 15 };
  fillBoxes(paper, [box], 'shade');
  const label = `Linha digitável - ${bankName} ${writtenBankCode(barcode.slice(0, 3))}`;
  drawText(paper, label, { x: LEFT + 4, y: y + 5, width: WIDTH - 8 }, { size: 7.5, leastSize: 6, ink: 'label' });
  drawText(paper, writtenLine(barcode), { x: LEFT + 4, y: y + 11.5, width: WIDTH - 8 }, { size: 15.5, bold: true });
  return y + box.height;
}

/** More than half a millimetre per module for a usual code. The white space around it exceeds the quiet zone. */
const QR_SIZE = 36;
const PIX_STEPS = [
  '1. Abra o aplicativo do seu banco e escolha pagar com Pix.',
  '2. Aponte a câmera para o QR Code ao lado.',
  '3. Confira o nome de quem recebe e o valor, e confirme.',
];

function drawPix(paper: Paper, emv: string, y: number): number {
  const { size, path } = qrPath(emv);
  fillPath(paper, path, LEFT, y, QR_SIZE / size);
  const place = { x: LEFT + QR_SIZE + 8, width: WIDTH - QR_SIZE - 8 };
  drawText(paper, 'Pague também com Pix', { ...place, y: y + 7 }, { size: 13, bold: true });
  for (const [index, step] of PIX_STEPS.entries()) {
    drawText(paper, step, { ...place, y: y + 15 + index * 5.2 }, { size: 9 });
  }
  const once = 'Boleto e Pix são a mesma cobrança: pague só uma vez.';
  drawText(paper, once, { ...place, y: y + 33 }, { size: 8, ink: 'label' });
  return y + QR_SIZE;
}

/** The remaining required contents of a receipt. */
function drawRecord(paper: Paper, slip: BoletoSlip, y: number): number {
  const { payer, beneficiary } = slip;
  const { kind, number } = writtenDocument(payer.document);
  const row = (index: number) => ({ x: LEFT, y: y + index * ROW_HEIGHT, height: ROW_HEIGHT });
  drawRow(paper, row(0), [
    { label: 'Pagador', value: payer.name, width: 144 },
    { label: `${kind} do pagador`, value: number, width: 46 },
  ]);
  const [street, place] = addressLines(payer.address);
  drawRow(paper, row(1), [
    { label: 'Endereço do pagador', value: street, width: 96 },
    { label: 'CEP e cidade do pagador', value: place, width: 94 },
  ]);
  drawRow(paper, row(2), [
    { label: 'Nosso número', value: slip.ourNumber, width: 48 },
    { label: 'Número do documento', value: slip.documentNumber, width: 48 },
    { label: 'Agência/Código do beneficiário', value: `${beneficiary.agency} / ${beneficiary.code}`, width: 48 },
    { label: 'Data do documento', value: writtenDay(slip.issuedDay), width: 46 },
  ]);
  return drawInstructions(paper, slip, y + 3 * ROW_HEIGHT);
}

const LINE_HEIGHT = 3.6;

/** Each sentence has its line: the payer's copy is where discounts and fees are looked up. */
function drawInstructions(paper: Paper, slip: BoletoSlip, y: number): number {
  const lines = instructions(slip);
  const box = { x: LEFT, y, width: WIDTH, height: ROW_HEIGHT + (lines.length - 1) * LINE_HEIGHT };
  drawLabelledBox(paper, box, 'Instruções');
  for (const [index, text] of lines.entries()) {
    drawText(paper, text, { ...inside(box), y: y + 6.4 + index * LINE_HEIGHT }, { ...VALUE, size: 8 });
  }
  return y + box.height;
}
