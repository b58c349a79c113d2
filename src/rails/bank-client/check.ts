// One finding of the doctor, and its finding about the validity of a certificate.
import type { X509Certificate } from 'node:crypto';
import { DAY_MS } from '../../lib/civil-days.ts';

export type Check = {
  readonly name: string;
  readonly ok: boolean;
  /** A sentence without a secret. */
  readonly detail: string;
  /** What to do about it. With `ok` it makes the finding a warning. */
  readonly mend?: string;
};

const SOON_DAYS = 30;
/** As with API keys: what expires within these days already counts as wrong, so that a script reports it in time. */
const WRONG_DAYS = 14;
const NAME = 'certificate';

/** `renew`: how to get a new one. */
export function checkValidity(
  { validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>,
  now: Date,
  renew: string,
): Check {
  const [from, until] = [new Date(validFrom), new Date(validTo)];
  const days = Math.floor((until.getTime() - now.getTime()) / DAY_MS);
  const [fromDay, untilDay] = [from, until].map(at => at.toISOString().slice(0, 10));
  if (now < from) {
    const mend = 'Check the clock of this machine, or wait.';
    return { name: NAME, ok: false, detail: `It is not valid before ${fromDay}.`, mend };
  }
  if (days < 0) return { name: NAME, ok: false, detail: `It expired on ${untilDay}.`, mend: renew };
  const detail = `It is valid until ${untilDay}, for ${days} more days.`;
  return { name: NAME, ok: days >= WRONG_DAYS, detail, ...(days < SOON_DAYS && { mend: renew }) };
}
