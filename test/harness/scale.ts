// Volumes of tests: whole in the deep tier, a tenth in the first. A file that imports this runs in both.

const SCALE = Number(process.env['TEST_SCALE'] ?? 1);

/** The count in the deep tier, a tenth of it in the first; never less than `least`, below which the test proves nothing. */
export function scaled(count: number, least = 1): number {
  return Math.max(least, Math.round(count * SCALE));
}
