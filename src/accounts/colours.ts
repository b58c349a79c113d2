// Contrast of colours. https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio

/** From 1 (the same) to 21 (black and white); colours are `#rrggbb`. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white: the one that is easier to read on a colour. One of them always reaches a contrast of 4.5. */
export function textOn(colour: string): string {
  return contrast(colour, '#ffffff') >= contrast(colour, '#000000') ? '#ffffff' : '#000000';
}

/** The colour mixed with white until it stands out from a dark background. */
export function lightened(colour: string, background: string, least: number): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mixWithWhite(colour, share);
    if (contrast(mixed, background) >= least) return mixed;
  }
  return '#ffffff';
}

function mixWithWhite(colour: string, share: number): string {
  const parts = channels(colour).map(part => Math.round(part + (255 - part) * share));
  return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

function channels(colour: string): number[] {
  return [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
