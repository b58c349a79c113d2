// trilho checkout: prints the link to the checkout of a charge, or withdraws it.
import { openLinks } from '../charges/links.ts';
import { requireCharge } from '../charges/require.ts';
import { withdrawLink } from '../charges/withdraw-link.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

/** The link alone goes to standard output. */
export async function checkoutCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('checkout', args, ['link', 'withdraw']);
  const { words, faults } = readArguments(args.slice(1), { words: ['charge id'] });
  const [id = ''] = words;
  if (words.length > 0 && !isUuid(id)) faults.push(`<charge id> must be a UUID, not ${quoted(id)}`);
  refuseFaults(`checkout ${verb}`, faults);
  const url = await withDatabase({ config, log, action: `trilho checkout ${verb}` }, async ({ db }) => {
    const { publicUrl, port } = config;
    const links = await openLinks(db, () => publicUrl ?? `http://localhost:${port}`);
    try {
      if (verb === 'withdraw') setAuditObject(id);
      return links.checkoutUrl(verb === 'withdraw' ? await withdrawLink({ db }, { id }) : await requireCharge(db, id));
    } catch (error) {
      if (error instanceof AppError) throw new StartError(error.message);
      throw error;
    }
  });
  if (verb === 'withdraw') console.error('The link is withdrawn; this one is in its place:');
  console.log(url);
  return 0;
}
