// Draws the pix QR code: SVG for pages, PNG for messages, a path for the boleto.
import { create, toBuffer } from 'qrcode';

/** The BR Code manual of Bacen requires level M; the QR standard requires four white modules around the code. */
const ERROR_CORRECTION = 'M';
const QUIET_MODULES = 4;
/** Whole pixels per module keep edges sharp: a usual code fills the width of a phone at three pixels per point. */
const PNG_PIXELS_PER_MODULE = 12;

/** A code as one path of dark modules, without its quiet zone. Units are modules. */
type QrPath = { readonly size: number; readonly path: string };

/** Throws for a text that is too long for a QR code. */
export function qrPath(emv: string): QrPath {
  const { modules } = create(emv, { errorCorrectionLevel: ERROR_CORRECTION });
  const runs: string[] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (!modules.get(row, column)) continue;
      const start = column;
      while (column + 1 < modules.size && modules.get(row, column + 1)) column++;
      const length = column - start + 1;
      runs.push(`M${start} ${row}h${length}v1h-${length}z`);
    }
  }
  return { size: modules.size, path: runs.join('') };
}

/** Scales to its box. The white background is drawn too: on a dark page the code would not be readable otherwise. */
export function qrSvg(emv: string): string {
  const { size, path } = qrPath(emv);
  const side = size + 2 * QUIET_MODULES;
  const corner = -QUIET_MODULES;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${corner} ${corner} ${side} ${side}" shape-rendering="crispEdges"` +
    ` role="img"><title>QR Code Pix</title><path fill="#fff" d="M${corner} ${corner}h${side}v${side}h-${side}z"/>` +
    `<path fill="#000" d="${path}"/></svg>`
  );
}

export function qrPng(emv: string): Promise<Buffer> {
  return toBuffer(emv, {
    errorCorrectionLevel: ERROR_CORRECTION,
    margin: QUIET_MODULES,
    scale: PNG_PIXELS_PER_MODULE,
  });
}
