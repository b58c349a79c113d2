// The headers of every answer, also of errors outside of a route.

export const SECURITY_HEADERS = {
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
