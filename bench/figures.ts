// Numbers of a run: percentiles, medians, and how they are written.

/** The value below which `share` of the sorted values lie. */
export function percentile(sorted: Float64Array | readonly number[], share: number): number {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export function worst(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

export function ms(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`;
}

export function perSecond(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)}/s`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

export function times(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 0)} ×`;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
