// Volumes of tests: whole in the deep tier, a part of it in the first. A file that imports this runs in both.

const SCALE = Number(process.env['TEST_SCALE'] ?? 1);

/** So many of something, in the first tier a tenth of it; never fewer than `least`, below which the test proves nothing. */
export function scaled(count: number, least = 1): number {
  return Math.max(least, Math.round(count * SCALE));
}
