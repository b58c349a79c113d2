// The headers of every answer, including errors outside a route; and repeated headers of a request.

const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function answerHeaders(requestId: string): Record<string, string> {
  return { 'x-request-id': requestId, ...SECURITY_HEADERS };
}

/** The distinct values of a header over all its lines. Node keeps only one line of a header that may come once. */
export function distinctValues(rawHeaders: readonly string[], name: string): string[] {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  return [...new Set(values)];
}

export function countHeader(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === name).length;
}
