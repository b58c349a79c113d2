// trilho checkout: prints the link to the checkout of a charge, or withdraws it.
import type { Charge } from '../charges/charge.ts';
import { type Links, openLinks } from '../charges/links/links.ts';
import { withdrawLink } from '../charges/links/withdraw-link.ts';
import { requireCharge } from '../charges/require.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { AppError, StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { secretBox } from '../storage/secret-box.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';
import { localUrl } from './local-url.ts';

/** Only the link goes to standard output. A withdrawal names the old link, so that a repeat does not withdraw the new one. */
export async function checkoutCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('checkout', args, ['link', 'withdraw']);
  const { positionals, faults } = readArguments(args.slice(1), {
    positionals: [verb === 'link' ? 'charge id' : 'link'],
  });
  const [named = ''] = positionals;
  if (verb === 'link' && positionals.length > 0 && !isUuid(named)) {
    faults.push(`<charge id> must be a UUID, not ${quoted(named)}`);
  }
  refuseFaults(`checkout ${verb}`, faults);
  const url = await withDatabase({ config, log, action: `trilho checkout ${verb}` }, async ({ db }) => {
    const links = await openLinks(db, localUrl(config), secretBox(config.masterKeys));
    try {
      return links.checkoutUrl(verb === 'link' ? await requireCharge(db, named) : await withdraw(db, links, named));
    } catch (error) {
      if (error instanceof AppError) throw new StartError(error.message);
      throw error;
    }
  });
  if (verb === 'withdraw') console.error('The link is withdrawn; this one replaces it:');
  console.log(url);
  return 0;
}

async function withdraw(db: Database, links: Links, link: string): Promise<Charge> {
  const named = links.readUrl(link);
  // Not repeated: a link is a credential.
  if (!named) throw new StartError('trilho checkout withdraw: <link> must be the checkoutUrl of a charge.');
  setAuditObject(named.id);
  return withdrawLink({ db }, named);
}
