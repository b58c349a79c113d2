// Answers that may differ from the document: those made by a fault of the simulated PSP, and those in which a profile is known to
// differ from the norm. A request is never excused. Every entry must match something in a complete run; one that matches
// nothing is out of date.
import type { ProfileName } from '@trilho/psp';
import type { Finding } from './findings.ts';

type Excuse = {
  readonly why: string;
  /** The fault in the simulated PSP's header; without it, the excuse is for answers without a fault. */
  readonly fault?: string;
  readonly answers?: 'scripted';
  /** Every one when absent. */
  readonly profiles?: readonly ProfileName[];
  readonly calls?: RegExp;
  readonly statuses?: readonly number[];
  readonly message?: RegExp;
};

const STATUS = /^Unable to match the returned status code/;
const PROBLEM = /^Response body must have required property '(?:type|title|status)'$/;

export const EXCUSES: readonly Excuse[] = [
  {
    why: 'a scripted PSP answers as its test says, also as no PSP should',
    answers: 'scripted',
  },
  {
    why: 'a fault makes up a status; the document lists 400, 403, 404 and 503 alone, and 404 not for GET /pix',
    fault: 'status',
    statuses: [404, 409, 429, 500],
    message: STATUS,
  },
  {
    why: 'a fault makes up a page of HTML with 502, which the document does not list',
    fault: 'html',
    statuses: [502],
    message: STATUS,
  },
  {
    why: 'a fault names a state that the document does not have',
    fault: 'wrong-state',
    statuses: [200, 201],
    message: /^Response body property status must be equal to one of the allowed values/,
  },
  {
    why: 'a fault refuses a valid token with 401, which the document does not list',
    fault: 'expired-token',
    statuses: [401],
    message: STATUS,
  },
  {
    why: 'an expired token is refused with 401 (RFC 6750), which the document does not list',
    statuses: [401],
    message: STATUS,
  },
  {
    why: 'a wrong query of GET /pix is a 400, PixConsultaInvalida in the text of the document, which the operation does not list',
    calls: /^GET \/pix$/,
    statuses: [400],
    message: STATUS,
  },
  {
    why: 'these PSPs create with 200 in place of 201',
    profiles: ['bb', 'bradesco', 'c6'],
    calls: /^PUT \/cobv?\//,
    statuses: [200],
    message: STATUS,
  },
  {
    why: 'these PSPs refund with 200 in place of 201',
    profiles: ['bb', 'bradesco', 'sicoob'],
    calls: /^PUT \/pix\/\w+\/devolucao\//,
    statuses: [200],
    message: STATUS,
  },
  {
    why: 'these PSPs have errors of their own form',
    profiles: ['efi', 'bb'],
    statuses: [400, 403, 404],
    message: PROBLEM,
  },
  {
    why: 'a fault of these PSPs has their own form too',
    fault: 'status',
    profiles: ['efi', 'bb'],
    statuses: [503],
    message: PROBLEM,
  },
  {
    why: 'a repeated PUT is a 409 at this PSP, which the document does not list',
    profiles: ['efi'],
    calls: /^PUT \/cobv?\//,
    statuses: [409],
    message: STATUS,
  },
];

export function excuseOf(finding: Finding): Excuse | undefined {
  const { direction, answers, fault, profile, method, path, status, message } = finding;
  if (direction === 'request') return undefined;
  return EXCUSES.find(
    excuse =>
      (excuse.answers ?? 'simulated') === answers &&
      excuse.fault === fault &&
      (excuse.profiles?.includes(profile) ?? true) &&
      (excuse.calls?.test(`${method} ${path.split('?')[0]}`) ?? true) &&
      (excuse.statuses?.includes(status) ?? true) &&
      (excuse.message?.test(message) ?? true),
  );
}
