// What the doctor finds about each agreement with a bank that takes files: its numbers, waiting instructions, returns, the SFTP server.
import { type AgreementUse, numbersLeft } from '../charges/bank-files/store-agreements.ts';
import type { OpenFile } from '../charges/bank-files/store-answers.ts';
import { overdueFiles, unansweredMessage } from '../charges/bank-files/unanswered-files.ts';
import { isScarce } from '../charges/bank-files/warn-numbers.ts';
import type { Config } from '../config/config.ts';
import { DAY_MS } from '../lib/civil-days.ts';
import { systemClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Check } from '../rails/bank-client/check.ts';
import { agreementsByFile } from '../rails/entries.ts';
import type { FileServer } from '../rails/file-server.ts';
import { liveRails } from '../rails/live-rails.ts';
import type { Rail } from '../rails/rail.ts';
import { allRails } from '../rails/rails.ts';
import type { CheckedRail } from './check-rails.ts';

/** Banks register by the next day at the latest; what waits longer needs a person. */
const MAX_WAIT_MS = 2 * DAY_MS;
const MAX_SILENCE_MS = 7 * DAY_MS;

/** Absent when the database did not answer: then the server alone is tried. */
export type KnownOfAgreements = {
  readonly agreements?: readonly AgreementUse[];
  /** Files with unanswered instructions. */
  readonly oldFiles?: readonly OpenFile[];
};

export async function checkAgreements(
  { boletos, mode }: Pick<Config, 'boletos' | 'mode'>,
  log: Log,
  { agreements: uses, oldFiles = [] }: KnownOfAgreements,
): Promise<CheckedRail[]> {
  const byFile = agreementsByFile(boletos);
  if (mode !== 'live' || byFile.length === 0) return [];
  const { rails } = liveRails({ rails: [], boletos: byFile }, { clock: systemClock, log });
  const now = systemClock.now();
  const unanswered = overdueFiles(rails, oldFiles, now);
  return Promise.all(
    allRails(rails).flatMap(rail => {
      const { files, name } = rail;
      if (!files) return [];
      const use = uses?.find(one => one.rail === name);
      return (async () => ({
        name,
        checks: [
          ...(use ? useChecks(rail, use, now) : []),
          ...unanswered.filter(file => file.rail === name).map(answerCheck),
          ...(await serverChecks(files.server)),
        ],
      }))();
    }),
  );
}

function useChecks({ numbers }: Rail, use: AgreementUse, now: Date): Check[] {
  return [...(numbers ? [numbersCheck(numbers, use)] : []), waitingCheck(use, now), ...returnChecks(use, now)];
}

function numbersCheck(range: { readonly first: bigint; readonly last: bigint }, use: AgreementUse): Check {
  const left = numbersLeft(range, use);
  const detail = left > 0n ? `${left} are left.` : 'No numbers are left: boletos are refused.';
  if (!isScarce(left, range)) return { name: 'numbers', ok: true, detail };
  return { name: 'numbers', ok: false, detail, mend: 'Ask the bank for a further range, and raise lastNumber.' };
}

function waitingCheck({ waiting, waitingSince }: AgreementUse, now: Date): Check {
  const isLong = waitingSince !== undefined && now.getTime() - waitingSince.getTime() > MAX_WAIT_MS;
  const detail = waiting === 0 ? 'Nothing waits for a file.' : `${waiting} instructions wait for a file.`;
  if (!isLong) return { name: 'files', ok: true, detail };
  const since = `${detail} The oldest since ${waitingSince.toISOString()}.`;
  return { name: 'files', ok: false, detail: since, mend: 'Run trilho cnab write, or set sftp.' };
}

function answerCheck(file: OpenFile): Check {
  const mend = `Ask the bank whether it has the file; if not, run trilho cnab renew ${file.rail} --file ${file.sequence}.`;
  return { name: 'answers', ok: false, detail: `${sentence(unansweredMessage(file))}.`, mend };
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function returnChecks({ lastFile, lastReturnAt }: AgreementUse, now: Date): Check[] {
  if (!lastFile) return [];
  const heard = lastReturnAt ?? lastFile.madeAt;
  const name = 'returns';
  const detail = lastReturnAt ? `The last was read ${lastReturnAt.toISOString()}.` : 'No return file was read yet.';
  const isSilent =
    lastFile.madeAt.getTime() > now.getTime() - MAX_SILENCE_MS * 2 && now.getTime() - heard.getTime() > MAX_SILENCE_MS;
  if (!isSilent) return [{ name, ok: true, detail }];
  return [{ name, ok: false, detail, mend: 'Fetch the return files of the bank and read them with trilho cnab read.' }];
}

async function serverChecks(server: FileServer | undefined): Promise<Check[]> {
  if (!server) return [];
  const name = 'sftp';
  try {
    const connection = await server.connect();
    try {
      await connection.check();
    } finally {
      await connection.close();
    }
    return [{ name, ok: true, detail: 'The server has the right key and both folders.' }];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ name, ok: false, detail: error.message }];
  }
}
