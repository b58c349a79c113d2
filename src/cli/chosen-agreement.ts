// The agreement with a bank that a command is about.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { AgreementEntry } from '../rails/agreement-entry.ts';
import { agreementsByFile } from '../rails/entries.ts';
import { quoted } from './arguments.ts';

/** The named agreement, or the only one. */
export function chosenAgreement({ boletos }: Pick<Config, 'boletos'>, name: string | undefined): AgreementEntry {
  const byFile = agreementsByFile(boletos);
  const [only, ...others] = byFile;
  if (!only) throw new StartError('No agreement with a bank is configured: set boletos in TRILHO_CONFIG.');
  if (name === undefined && others.length === 0) return only;
  const known = byFile.map(entry => entry.name).join(', ');
  if (name === undefined) throw new StartError(`There are several agreements: name one of ${known}.`);
  const found = byFile.find(entry => entry.name === name);
  if (!found) throw new StartError(`boletos in TRILHO_CONFIG has no ${quoted(name)}; there is ${known}.`);
  return found;
}
