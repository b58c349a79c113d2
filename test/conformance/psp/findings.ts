// What Prism says of a call, and which of it is excused.
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

type Told = { readonly location: readonly string[]; readonly message: string };

/** Reads the header that Prism writes its findings into. It cuts a long one, which then is no JSON any more. */
export function readFindings(header: string | undefined): Pick<Finding, 'direction' | 'at' | 'message'>[] {
  if (header === undefined) return [];
  if (!header.startsWith('[')) return [{ direction: 'request', at: '', message: header }];
  const told: readonly Told[] = JSON.parse(header);
  return told.map(({ location: [direction, ...at], message }) => ({
    // What is not said of the answer is held against the request, which is never excused.
    direction: direction === 'response' ? 'response' : 'request',
    at: at.join('.'),
    message,
  }));
}
