// Links to the pages of payers. A link is a capability: anyone who has it may do what its page offers. It contains the id, an epoch and a
// MAC, so a forged one is refused without a query, and raising the epoch of what it opens withdraws it.
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import { type SecretBox, secretBox } from '../../storage/secret-box.ts';
import type { Charge } from '../charge.ts';
import { readLinkKey } from '../store/links.ts';

export type Linked = Pick<Charge, 'id' | 'linkEpoch'>;

export type Links = {
  /** 43 characters of base64url: 16 bytes of id, one of epoch, 15 of MAC. */
  tokenOf(charge: Linked): string;
  checkoutUrl(charge: Linked): string;
  /** The page of an instalment plan. */
  instalmentsUrl(plan: Linked): string;
  /** The page of a subscription. */
  subscriptionUrl(subscription: Linked): string;
  /** The page that ends the reminders of a payer. */
  reminderOptOutUrl(reminder: Pick<Charge, 'id'>): string;
  /** The content of a token that this service made. The caller compares its epoch with that of the charge. */
  read(token: string): Linked | undefined;
  /** The content of the token in a full link, regardless of its host name. */
  readUrl(checkoutUrl: string): Linked | undefined;
};

const ID_BYTES = 16;
const MAC_AT = ID_BYTES + 1;
const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;
export const MAX_EPOCH = 255;

/** `publicUrl` is called for each link: with PORT=0 it is known only once the service listens. `box` opens the key if it is sealed. */
export async function openLinks(db: Sql, publicUrl: () => string, box: SecretBox = secretBox([])): Promise<Links> {
  // The key object is made once: from bytes, each MAC takes six times as long, which matters in a flood of forged links.
  const key = createSecretKey(await readLinkKey(db, box));
  const macOf = (named: Buffer) =>
    createHmac('sha256', key)
      .update(named)
      .digest()
      .subarray(0, TOKEN_BYTES - MAC_AT);
  const tokenOf = ({ id, linkEpoch }: Linked) => {
    const named = Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), Buffer.of(linkEpoch)]);
    return Buffer.concat([named, macOf(named)]).toString('base64url');
  };
  const read = (token: string) => {
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const named = bytes.subarray(0, MAC_AT);
    // The last of the 43 characters has two spare bits; accept only the spelling that this service writes.
    if (!timingSafeEqual(bytes.subarray(MAC_AT), macOf(named)) || bytes.toString('base64url') !== token) {
      return undefined;
    }
    return { id: uuidOf(named.subarray(0, ID_BYTES)), linkEpoch: named.readUInt8(ID_BYTES) };
  };
  return {
    tokenOf,
    checkoutUrl: charge => `${publicUrl()}/pay/${tokenOf(charge)}`,
    instalmentsUrl: plan => `${publicUrl()}/pay/instalments/${tokenOf(plan)}`,
    subscriptionUrl: subscription => `${publicUrl()}/my/${tokenOf(subscription)}`,
    reminderOptOutUrl: ({ id }) => `${publicUrl()}/reminders/opt-out/${tokenOf({ id, linkEpoch: 0 })}`,
    read,
    readUrl: checkoutUrl => read(/\/(?:pay|pay\/instalments|my)\/([^/]+)$/.exec(checkoutUrl)?.[1] ?? ''),
  };
}

/** The epoch that withdraws a link. The request names the link by its epoch, so that a repeat withdraws no other. */
export function epochAfter({ linkEpoch }: Linked, named: number, noun: string): number {
  if (named !== linkEpoch) {
    throw new AppError('wrong_state', `This link was withdrawn already; the ${noun} has another one.`);
  }
  if (linkEpoch >= MAX_EPOCH) {
    throw new AppError(
      'wrong_state',
      `The link of this ${noun} was withdrawn ${MAX_EPOCH} times: it gets no other one.`,
    );
  }
  return linkEpoch + 1;
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
