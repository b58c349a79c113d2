// Numbers of a run: percentiles, medians, and how they are printed.

/** The value below which `share` of the sorted values lie. */
export function percentile(sorted: Float64Array | readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function percentileOf(values: readonly number[], share: number): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    share,
  );
}

export function median(values: readonly number[]): number {
  return percentileOf(values, 0.5);
}

export function formatMs(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
}

export function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

export function formatRate(perSecond: number): string {
  return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`;
}

/** Below a tenth with two decimals: 0.42 %. */
export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 && share > 0 ? 2 : 0)} %`;
}

export function formatRatio(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} ×`;
}

export function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}

/** 100 thousand, 1 million. */
export function formatCount(rows: number): string {
  if (rows >= 1_000_000) return `${rows / 1_000_000} million`;
  return rows >= 1_000 ? `${rows / 1_000} thousand` : String(rows);
}
