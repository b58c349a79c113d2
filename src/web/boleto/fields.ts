// Draws the labelled boxes of a boleto.
import { type Box, drawText, fillBoxes, frameBox, type Paper } from './paper.ts';

type Field = {
  readonly label: string;
  readonly value?: string;
  readonly align?: 'left' | 'center' | 'right';
  /** Emphasised: the due day and the amount. */
  readonly strong?: boolean;
};

/** Millimetres. */
const PADDING = 1.5;
const LABEL_BASELINE = 2.5;
const VALUE_ABOVE_BOTTOM = 1.3;

export const LABEL = { size: 5.8, leastSize: 4.5, ink: 'label' } as const;
export const VALUE = { size: 8.5, leastSize: 5.5 } as const;
/** In a lower box the value is smaller, so that it stays clear of the label. */
const WHOLE_HEIGHT = 7.2;

/** A box with a small label at the top and a value at the bottom. */
export function drawField(paper: Paper, box: Box, { label, value = '', align = 'left', strong = false }: Field): void {
  if (strong) fillBoxes(paper, [box], 'shade');
  drawLabelledBox(paper, box, label);
  const place = { ...inside(box), y: box.y + box.height - VALUE_ABOVE_BOTTOM };
  const size = VALUE.size * Math.min(1, box.height / WHOLE_HEIGHT);
  drawText(paper, value, place, { ...VALUE, size, align, bold: strong });
}

/** The box with its label only, for a caller that writes more than one line into it. */
export function drawLabelledBox(paper: Paper, box: Box, label: string): void {
  frameBox(paper, box);
  drawText(paper, label, { ...inside(box), y: box.y + LABEL_BASELINE }, LABEL);
}

/** Fields side by side from the left, each with its width. */
export function drawRow(
  paper: Paper,
  from: { readonly x: number; readonly y: number; readonly height: number },
  fields: readonly (Field & { readonly width: number })[],
): void {
  let x = from.x;
  for (const field of fields) {
    drawField(paper, { x, y: from.y, width: field.width, height: from.height }, field);
    x += field.width;
  }
}

export function inside({ x, width }: { readonly x: number; readonly width: number }): { x: number; width: number } {
  return { x: x + PADDING, width: width - 2 * PADDING };
}
