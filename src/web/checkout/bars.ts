// The bars of a boleto as SVG, for a scanner held to the screen.
import { barWidths } from '../boleto/barcode.ts';

const HEIGHT = 50;
/** The quiet zone on both sides; scanners ask for ten narrow bars. */
const QUIET = 10;

export function barsSvg(barcode: string): string {
  const widths = barWidths(barcode);
  let left = QUIET;
  const bars = widths.map((width, index) => {
    const bar = index % 2 === 0 ? `M${left} 0h${width}v${HEIGHT}h-${width}z` : '';
    left += width;
    return bar;
  });
  const whole = left + QUIET;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${HEIGHT}" preserveAspectRatio="none"` +
    ` shape-rendering="crispEdges" aria-hidden="true"><path fill="#fff" d="M0 0h${whole}v${HEIGHT}H0z"/>` +
    `<path fill="#000" d="${bars.join('')}"/></svg>`
  );
}
