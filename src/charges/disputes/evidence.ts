// Evidence of a dispute: its types, limits, and how a file is recognised. Pure.

/** Accepted files, by their media type. */
export const EVIDENCE_TYPES = ['text/plain', 'application/pdf', 'image/png', 'image/jpeg', 'image/webp'] as const;
export type EvidenceType = (typeof EVIDENCE_TYPES)[number];

export const MAX_EVIDENCE_BYTES = 1_048_576;
export const MAX_EVIDENCE_NAME_LENGTH = 120;
/** Of one dispute. */
export const MAX_EVIDENCE = 20;
/** A text of at most this many bytes is shown; a longer one is downloaded. */
export const MAX_SHOWN_BYTES = 4_000;

export type Evidence = {
  readonly id: string;
  readonly accountId: string;
  readonly disputeId: string;
  readonly name?: string;
  readonly mediaType: EvidenceType;
  readonly size: number;
  /** Of a short text that was not erased. */
  readonly text?: string;
  readonly createdAt: Date;
  readonly erasedAt?: Date;
};

const PDF = Buffer.from('%PDF-');
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

const isOfType: Readonly<Record<EvidenceType, (bytes: Buffer) => boolean>> = {
  'text/plain': isText,
  'application/pdf': bytes => bytes.subarray(0, PDF.length).equals(PDF),
  'image/png': bytes => bytes.subarray(0, PNG.length).equals(PNG),
  'image/jpeg': bytes => bytes.subarray(0, JPEG.length).equals(JPEG),
  'image/webp': bytes => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
};

/** Whether the bytes are what their type says, by the first of them: what a caller names a picture may be a program. */
export function isEvidence(type: EvidenceType, bytes: Buffer): boolean {
  return isOfType[type](bytes);
}

/** UTF-8 that PostgreSQL can read as text. */
function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
