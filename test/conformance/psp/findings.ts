// Prism's findings about a call, and which of them are excused.
import type { ProfileName } from '@trilho/psp';

/** One call of a PSP. */
export type Called = {
  readonly file: string;
  readonly profile: ProfileName;
  readonly answers: 'simulated' | 'scripted';
  readonly method: string;
  /** As the document names it. */
  readonly path: string;
  /** 0 when the PSP gave no answer. */
  readonly status: number;
  /** Of the simulated PSP, when it made or changed the answer. */
  readonly fault?: string;
};

export type Finding = Called & {
  readonly direction: 'request' | 'response';
  /** Where in it. */
  readonly at: string;
  readonly message: string;
};

type PrismFinding = { readonly location: readonly string[]; readonly message: string };

/** Reads the header with Prism's findings. Prism truncates a long one, which is then not valid JSON. */
export function readFindings(header: string | undefined): Pick<Finding, 'direction' | 'at' | 'message'>[] {
  if (header === undefined) return [];
  if (!header.startsWith('[')) return [{ direction: 'request', at: '', message: header }];
  const findings: readonly PrismFinding[] = JSON.parse(header);
  return findings.map(({ location: [direction, ...at], message }) => ({
    // A finding that does not name the answer counts for the request, which is never excused.
    direction: direction === 'response' ? 'response' : 'request',
    at: at.join('.'),
    message,
  }));
}
