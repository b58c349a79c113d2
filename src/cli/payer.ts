// trilho payer: prints what is kept of a payer, or erases what names them.

import { isValidCnpj, isValidCpf } from '@brazilian-utils/brazilian-utils';
import { normaliseDocument } from '../charges/create/check.ts';
import { openLinks } from '../charges/links/links.ts';
import type { Config } from '../config/config.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { erasePayer } from '../payers/erase.ts';
import { exportPayer } from '../payers/export.ts';
import { secretBox } from '../storage/secret-box.ts';
import { readArguments, readVerb, refuseFaults } from './arguments.ts';
import { type CommandDeps, withDatabase } from './database.ts';
import { localUrl } from './local-url.ts';

/** Printed beside the export: a payer who asks for everything asks for these too. */
const ELSEWHERE =
  'Not searched: the archive (TRILHO_ARCHIVE_DIR), backups, files for banks, and what webhooks have received.';

export async function payerCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('payer', args, ['export', 'erase']);
  const { positionals, faults } = readArguments(args.slice(1), { positionals: ['CPF or CNPJ'] });
  const document = normaliseDocument(positionals[0] ?? '');
  // Not repeated: a mistyped document is close to a real one.
  if (positionals.length > 0 && !isValidCpf(document) && !isValidCnpj(document, { version: 2 })) {
    faults.push('<CPF or CNPJ> must be valid');
  }
  refuseFaults(`payer ${verb}`, faults);
  await withDatabase({ config, log, action: `trilho payer ${verb}` }, async deps => {
    try {
      await (verb === 'export' ? sayAll(deps, config, document) : erase(deps, document));
    } catch (error) {
      if (error instanceof AppError) throw new StartError(error.message);
      throw error;
    }
  });
  return 0;
}

async function sayAll({ db }: CommandDeps, config: Config, document: string): Promise<void> {
  const links = await openLinks(db, localUrl(config), secretBox(config.masterKeys));
  for await (const { kind, record } of exportPayer({ db, links }, document)) {
    console.log(JSON.stringify({ kind, ...record }));
  }
  console.error(ELSEWHERE);
}

async function erase({ db, clock }: CommandDeps, document: string): Promise<void> {
  const erased = await erasePayer({ db, clock }, document);
  const counts = Object.entries(erased).map(([kind, count]) => `${count} ${kind}`);
  console.log(`Erased: ${counts.join(', ')}.`);
}
