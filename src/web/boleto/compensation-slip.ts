// Draws the lower half, «ficha de compensação», which the bank keeps. FEBRABAN defines the order and the names of its
// boxes.
import { BARCODE_MM, drawBarcode } from './barcode.ts';
import { drawField, drawLabelledBox, drawRow, inside, LABEL, VALUE } from './fields.ts';
import {
  addressLines,
  instructions,
  reais,
  writtenBankCode,
  writtenDay,
  writtenDocument,
  writtenLine,
} from './format.ts';
import { CUT_Y, LEFT, PAGE_HEIGHT, RIGHT, WIDTH } from './page.ts';
import { drawRule, drawText, type Paper } from './paper.ts';
import type { BoletoSlip } from './slip.ts';

/** The amounts have their own column at the right; the other boxes share the rest of the width. */
const AMOUNTS_WIDTH = 46;
const BODY_WIDTH = WIDTH - AMOUNTS_WIDTH;
const AMOUNTS_X = LEFT + BODY_WIDTH;

const HEADER_Y = CUT_Y + 2.5;
const HEADER_HEIGHT = 8.5;
const ROW_HEIGHT = 7.2;
const ROWS_Y = HEADER_Y + HEADER_HEIGHT;
const AMOUNT_HEIGHT = 6.3;
const INSTRUCTIONS_Y = ROWS_Y + 4 * ROW_HEIGHT;
const PAYER_Y = INSTRUCTIONS_Y + 5 * AMOUNT_HEIGHT;
const PAYER_HEIGHT = 14.6;
const LINE_HEIGHT = 3.6;

/** The middle of the bars is 12 mm above the edge, where the readers of the banks scan. */
const BARCODE_Y = PAGE_HEIGHT - 12 - BARCODE_MM.height / 2;

export function drawCompensationSlip(paper: Paper, slip: BoletoSlip): void {
  drawHeader(paper, slip);
  drawRows(paper, slip);
  drawInstructions(paper, slip);
  drawPayer(paper, slip);
  drawBarcode(paper, slip.barcode, LEFT, BARCODE_Y);
  const foot = { x: AMOUNTS_X - 40, y: PAYER_Y + PAYER_HEIGHT + 2.6, width: AMOUNTS_WIDTH + 40 };
  drawText(paper, 'Autenticação mecânica - Ficha de compensação', foot, { ...LABEL, align: 'right' });
}

const BANK_WIDTH = 29;
const CODE_WIDTH = 22;
const HEADER_BASELINE = HEADER_Y + 6.4;

/** The bank code is 5 mm high and the digitable line 3.5 mm, so that machines can read them too. */
const CODE_SIZE = 19.7;
const LINE_SIZE = 13.8;

function drawHeader(paper: Paper, { bankName, barcode }: BoletoSlip): void {
  const codeX = LEFT + BANK_WIDTH;
  const lineX = codeX + CODE_WIDTH;
  const style = { size: 10, leastSize: 6, bold: true, lines: 2, leading: 3.4, upwards: true };
  drawText(paper, bankName, { x: LEFT, y: HEADER_BASELINE, width: BANK_WIDTH - 2 }, style);
  const code = { x: codeX, y: HEADER_BASELINE, width: CODE_WIDTH };
  drawText(paper, writtenBankCode(barcode.slice(0, 3)), code, { size: CODE_SIZE, bold: true, align: 'center' });
  const line = { x: lineX, y: HEADER_BASELINE, width: RIGHT - lineX };
  drawText(paper, writtenLine(barcode), line, { size: LINE_SIZE, leastSize: 12, align: 'right' });
  for (const x of [codeX, lineX]) drawRule(paper, [x, HEADER_Y], [x, ROWS_Y]);
}

function drawRows(paper: Paper, slip: BoletoSlip): void {
  const { beneficiary } = slip;
  const { kind, number } = writtenDocument(beneficiary.document);
  const row = (index: number) => ({ x: LEFT, y: ROWS_Y + index * ROW_HEIGHT, height: ROW_HEIGHT });
  const amountColumn = { width: AMOUNTS_WIDTH, align: 'right' } as const;
  drawRow(paper, row(0), [
    { label: 'Local de pagamento', value: 'Pagável em qualquer banco', width: BODY_WIDTH },
    { label: 'Vencimento', value: writtenDay(slip.dueDay), strong: true, ...amountColumn },
  ]);
  drawRow(paper, row(1), [
    { label: 'Beneficiário', value: beneficiary.name, width: BODY_WIDTH - 40 },
    { label: `${kind} do beneficiário`, value: number, width: 40 },
    { label: 'Agência/Código do beneficiário', value: `${beneficiary.agency} / ${beneficiary.code}`, ...amountColumn },
  ]);
  drawRow(paper, row(2), [
    { label: 'Data do documento', value: writtenDay(slip.issuedDay), width: 26 },
    { label: 'Número do documento', value: slip.documentNumber, width: 46 },
    { label: 'Espécie doc.', value: 'DM', align: 'center', width: 18 },
    { label: 'Aceite', value: 'N', align: 'center', width: 14 },
    { label: 'Data do processamento', value: writtenDay(slip.processedDay), width: 40 },
    { label: 'Nosso número', value: slip.ourNumber, ...amountColumn },
  ]);
  drawRow(paper, row(3), [
    { label: 'Uso do banco', width: 26 },
    { label: 'Carteira', value: slip.carteira, align: 'center', width: 24 },
    { label: 'Espécie', value: 'R$', align: 'center', width: 22 },
    { label: 'Quantidade', width: 32 },
    { label: 'Valor', width: 40 },
    { label: '(=) Valor do documento', value: reais(slip.amountCents), strong: true, ...amountColumn },
  ]);
}

/** Filled in by the cashier. */
const AMOUNTS = [
  '(-) Desconto/Abatimento',
  '(-) Outras deduções',
  '(+) Mora/Multa',
  '(+) Outros acréscimos',
  '(=) Valor cobrado',
];

function drawInstructions(paper: Paper, slip: BoletoSlip): void {
  const box = { x: LEFT, y: INSTRUCTIONS_Y, width: BODY_WIDTH, height: AMOUNTS.length * AMOUNT_HEIGHT };
  drawLabelledBox(paper, box, 'Instruções (texto de responsabilidade do beneficiário)');
  for (const [index, text] of instructions(slip).entries()) {
    drawText(
      paper,
      text,
      { ...inside(box), y: box.y + 7.5 + index * 4.4 },
      { ...VALUE, bold: slip.sandbox && index === 0 },
    );
  }
  for (const [index, label] of AMOUNTS.entries()) {
    const y = INSTRUCTIONS_Y + index * AMOUNT_HEIGHT;
    drawField(paper, { x: AMOUNTS_X, y, width: AMOUNTS_WIDTH, height: AMOUNT_HEIGHT }, { label });
  }
}

function drawPayer(paper: Paper, { payer }: BoletoSlip): void {
  const box = { x: LEFT, y: PAYER_Y, width: BODY_WIDTH, height: PAYER_HEIGHT };
  drawLabelledBox(paper, box, 'Pagador');
  const [street, place] = addressLines(payer.address);
  for (const [index, text] of [payer.name, street, place].entries()) {
    drawText(paper, text, { ...inside(box), y: box.y + 6.2 + index * LINE_HEIGHT }, { ...VALUE, size: 8 });
  }
  const { kind, number } = writtenDocument(payer.document);
  const half = PAYER_HEIGHT / 2;
  const column = { x: AMOUNTS_X, width: AMOUNTS_WIDTH, height: half };
  drawField(paper, { ...column, y: PAYER_Y }, { label: `${kind} do pagador`, value: number, align: 'right' });
  drawField(paper, { ...column, y: PAYER_Y + half }, { label: 'Código de baixa' });
}
