// Draws the «ficha de compensação», which the bank keeps: the lower half of a page, or a slip of a carnê. FEBRABAN defines the order and the
// names of its boxes.
import { BARCODE_MM, drawBarcode } from './barcode.ts';
import { drawField, drawLabelledBox, drawRow, inside, LABEL, VALUE } from './fields.ts';
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
import { CUT_Y, LEFT, PAGE_HEIGHT, WIDTH } from './page.ts';
import { type Box, drawRule, drawText, type Paper } from './paper.ts';
import type { BoletoSlip } from './slip.ts';

/** The lower half of the page. Measures below are those in this frame; in a smaller one they shrink. */
const LOWER_HALF: Box = { x: LEFT, y: CUT_Y, width: WIDTH, height: PAGE_HEIGHT - CUT_Y };

/** The amounts have their own column at the right; the other boxes share the rest of the width. */
const AMOUNTS_WIDTH = 46;
const BODY_WIDTH = WIDTH - AMOUNTS_WIDTH;

const HEADER_GAP = 2.5;
const HEADER_HEIGHT = 8.5;
const ROW_HEIGHT = 7.2;
const AMOUNT_HEIGHT = 6.3;
const PAYER_HEIGHT = 14.6;
const LINE_HEIGHT = 3.6;

/** Filled in by the cashier, but for the abatement. */
const AMOUNTS = [
  '(-) Desconto/Abatimento',
  '(-) Outras deduções',
  '(+) Mora/Multa',
  '(+) Outros acréscimos',
  '(=) Valor cobrado',
];

/** The middle of the bars is 12 mm above the edge, where the readers of the banks scan. */
const BARS_ABOVE_EDGE = 12 + BARCODE_MM.height / 2;
/** The bars and what stands above them keep their size. */
const FOOT_HEIGHT =
  LOWER_HALF.height - HEADER_GAP - HEADER_HEIGHT - 4 * ROW_HEIGHT - AMOUNTS.length * AMOUNT_HEIGHT - PAYER_HEIGHT;

/** Where everything is in a frame. */
type Places = {
  readonly frame: Box;
  /** Shrinks what is as wide, or as high, as in the lower half of the page. */
  wide(width: number): number;
  high(height: number): number;
  readonly amountsX: number;
  readonly headerY: number;
  readonly rowsY: number;
  readonly instructionsY: number;
  readonly payerY: number;
  readonly footY: number;
};

function placesIn(frame: Box): Places {
  const fixed = HEADER_GAP + HEADER_HEIGHT + FOOT_HEIGHT;
  const wide = (width: number) => (width * frame.width) / WIDTH;
  const high = (height: number) => (height * (frame.height - fixed)) / (LOWER_HALF.height - fixed);
  const headerY = frame.y + HEADER_GAP;
  const rowsY = headerY + HEADER_HEIGHT;
  const instructionsY = rowsY + 4 * high(ROW_HEIGHT);
  const payerY = instructionsY + AMOUNTS.length * high(AMOUNT_HEIGHT);
  const footY = payerY + high(PAYER_HEIGHT);
  return { frame, wide, high, amountsX: frame.x + wide(BODY_WIDTH), headerY, rowsY, instructionsY, payerY, footY };
}

/** Its frame is 95 to 108 mm high; left of it are 5 mm without ink, as scanners need. */
export function drawCompensationSlip(paper: Paper, slip: BoletoSlip, frame = LOWER_HALF): void {
  const places = placesIn(frame);
  drawHeader(paper, slip, places);
  drawRows(paper, slip, places);
  drawInstructions(paper, slip, places);
  drawPayer(paper, slip, places);
  drawBarcode(paper, slip.barcode, frame.x, frame.y + frame.height - BARS_ABOVE_EDGE);
  const { wide, amountsX, footY } = places;
  const foot = { x: amountsX - 40, y: footY + 2.6, width: wide(AMOUNTS_WIDTH) + 40 };
  drawText(paper, 'Autenticação mecânica - Ficha de compensação', foot, { ...LABEL, align: 'right' });
}

const BANK_WIDTH = 29;
const CODE_WIDTH = 22;
const BASELINE_BELOW_HEADER = 6.4;

/** On the page the bank code is 5 mm high and the digitable line 3.5 mm, so that machines can read them too. */
const CODE_SIZE = 19.7;
const LINE_SIZE = 13.8;
const LEAST_LINE_SIZE = 12;

function drawHeader(paper: Paper, { bankName, barcode }: BoletoSlip, places: Places): void {
  const { frame, wide, headerY, rowsY } = places;
  const y = headerY + BASELINE_BELOW_HEADER;
  const codeX = frame.x + wide(BANK_WIDTH);
  const lineX = codeX + wide(CODE_WIDTH);
  const style = { size: 10, leastSize: 6, bold: true, lines: 2, leading: 3.4, upwards: true };
  drawText(paper, bankName, { x: frame.x, y, width: wide(BANK_WIDTH) - 2 }, style);
  const code = { x: codeX, y, width: wide(CODE_WIDTH) };
  drawText(paper, writtenBankCode(barcode.slice(0, 3)), code, { size: wide(CODE_SIZE), bold: true, align: 'center' });
  const line = { x: lineX, y, width: frame.x + frame.width - lineX };
  const size = { size: wide(LINE_SIZE), leastSize: wide(LEAST_LINE_SIZE) };
  drawText(paper, writtenLine(barcode), line, { ...size, align: 'right' });
  for (const x of [codeX, lineX]) drawRule(paper, [x, headerY], [x, rowsY]);
}

function drawRows(paper: Paper, slip: BoletoSlip, { frame, wide, high, rowsY }: Places): void {
  const { beneficiary } = slip;
  const { kind, number } = writtenDocument(beneficiary.document);
  const row = (index: number) => ({ x: frame.x, y: rowsY + index * high(ROW_HEIGHT), height: high(ROW_HEIGHT) });
  const amountColumn = { width: wide(AMOUNTS_WIDTH), align: 'right' } as const;
  drawRow(paper, row(0), [
    { label: 'Local de pagamento', value: 'Pagável em qualquer banco', width: wide(BODY_WIDTH) },
    { label: 'Vencimento', value: writtenDay(slip.dueDay), strong: true, ...amountColumn },
  ]);
  drawRow(paper, row(1), [
    { label: 'Beneficiário', value: beneficiary.name, width: wide(BODY_WIDTH - 40) },
    { label: `${kind} do beneficiário`, value: number, width: wide(40) },
    { label: 'Agência/Código do beneficiário', value: `${beneficiary.agency} / ${beneficiary.code}`, ...amountColumn },
  ]);
  drawRow(paper, row(2), [
    { label: 'Data do documento', value: writtenDay(slip.issuedDay), width: wide(26) },
    { label: 'Número do documento', value: slip.documentNumber, width: wide(46) },
    { label: 'Espécie doc.', value: 'DM', align: 'center', width: wide(18) },
    { label: 'Aceite', value: 'N', align: 'center', width: wide(14) },
    { label: 'Data do processamento', value: writtenDay(slip.processedDay), width: wide(40) },
    { label: 'Nosso número', value: slip.ourNumber, ...amountColumn },
  ]);
  drawRow(paper, row(3), [
    { label: 'Uso do banco', width: wide(26) },
    { label: 'Carteira', value: slip.carteira, align: 'center', width: wide(24) },
    { label: 'Espécie', value: 'R$', align: 'center', width: wide(22) },
    { label: 'Quantidade', width: wide(32) },
    { label: 'Valor', width: wide(40) },
    { label: '(=) Valor do documento', value: reais(slip.amountCents), strong: true, ...amountColumn },
  ]);
}

function drawInstructions(paper: Paper, slip: BoletoSlip, places: Places): void {
  const { frame, wide, high, amountsX, instructionsY } = places;
  const box = { x: frame.x, y: instructionsY, width: wide(BODY_WIDTH), height: AMOUNTS.length * high(AMOUNT_HEIGHT) };
  drawLabelledBox(paper, box, 'Instruções (texto de responsabilidade do beneficiário)');
  const lines = slip.sandbox ? [SANDBOX_WARNING, ...instructions(slip)] : instructions(slip);
  for (const [index, text] of lines.entries()) {
    drawText(
      paper,
      text,
      { ...inside(box), y: box.y + high(7.5) + index * high(4.4) },
      { ...VALUE, bold: text === SANDBOX_WARNING },
    );
  }
  for (const [index, label] of AMOUNTS.entries()) {
    const height = high(AMOUNT_HEIGHT);
    const value = index === 0 && slip.abatementCents !== undefined ? reais(slip.abatementCents) : undefined;
    const box = { x: amountsX, y: instructionsY + index * height, width: wide(AMOUNTS_WIDTH), height };
    drawField(paper, box, { label, ...(value !== undefined && { value, align: 'right' }) });
  }
}

function drawPayer(paper: Paper, { payer }: BoletoSlip, { frame, wide, high, amountsX, payerY }: Places): void {
  const box = { x: frame.x, y: payerY, width: wide(BODY_WIDTH), height: high(PAYER_HEIGHT) };
  drawLabelledBox(paper, box, 'Pagador');
  const [street, place] = addressLines(payer.address);
  for (const [index, text] of [payer.name, street, place].entries()) {
    drawText(paper, text, { ...inside(box), y: box.y + high(6.2) + index * high(LINE_HEIGHT) }, { ...VALUE, size: 8 });
  }
  const { kind, number } = writtenDocument(payer.document);
  const half = high(PAYER_HEIGHT) / 2;
  const column = { x: amountsX, width: wide(AMOUNTS_WIDTH), height: half };
  drawField(paper, { ...column, y: payerY }, { label: `${kind} do pagador`, value: number, align: 'right' });
  drawField(paper, { ...column, y: payerY + half }, { label: 'Código de baixa' });
}
