// How much is taken on: requests a second of one caller or address, and requests at once of all. Each node counts its own.
import { isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { tokenBuckets } from '../../lib/token-bucket.ts';

export type Limits = {
  /** Requests a second of one key, or in a sandbox of one address; 0 for no limit. */
  readonly rateLimit: number;
  /** Requests a second of one address that bring no good key; 0 for no limit. */
  readonly addressLimit: number;
  /** Requests being answered at a time; 0 for no limit. */
  readonly maxInFlight: number;
  /** The machine's time, which no sandbox moves. */
  readonly machineClock: Clock;
};

/**
 * Refuses a request while as many as can be are being answered, rather than let all of them wait. A request counts from when its
 * body has arrived until its answer is made: a caller that sends or reads slowly keeps no other out.
 */
export function limitInFlight(app: FastifyInstance, { maxInFlight }: Limits): void {
  if (maxInFlight === 0) return;
  let inFlight = 0;
  const ends = new WeakMap<FastifyRequest, () => void>();
  const refuseIfFull = ({ route }: FastifyRequest): boolean => {
    if (route.config.isUnlimited || route.config.isLasting) return false;
    if (inFlight >= maxInFlight) throw new AppError('overloaded', 'Too many requests are being answered; try again.');
    return true;
  };
  // Before anything is done for it, its body is read or its key is looked up.
  app.addHook('onRequest', async request => void refuseIfFull(request));
  app.addHook('preValidation', async (request, reply) => {
    // A caller who went away while its key was looked up gives no place back: its end has come already.
    if (!refuseIfFull(request) || reply.raw.closed) return;
    inFlight++;
    const end = () => {
      if (ends.delete(request)) inFlight--;
    };
    ends.set(request, end);
    // Comes once for each, whether it was answered or the caller went away.
    reply.raw.once('close', end);
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    // A stream is made while it is sent.
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) ends.get(request)?.();
  });
}

/** A large file is held in memory until it is read. */
const MAX_FILES_AT_ONCE = 4;

/** A hook of routes that take large files. Comes after it is known who calls, and before the body is read. */
export function limitFiles(): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let count = 0;
  return async (_request, { raw }) => {
    if (count >= MAX_FILES_AT_ONCE) throw new AppError('overloaded', 'Too many files are being read; try again.');
    // As above: its end has come already.
    if (raw.closed) return;
    count++;
    raw.once('close', () => {
      count--;
    });
  };
}

/**
 * Refuses what comes faster than the limit, and reports to each caller how much is left, in the headers of
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06. Comes after it is known who calls.
 */
export function limitRate(app: FastifyInstance, { rateLimit, machineClock }: Limits, keyedBy: 'key' | 'address'): void {
  if (rateLimit === 0) return;
  const buckets = tokenBuckets(rateLimit, machineClock);
  app.addHook('onRequest', async (request, reply) => {
    const name = keyedBy === 'key' ? request.caller?.actor : request.ip;
    if (name === undefined || request.route.config.isUnlimited) return;
    const { isAllowed, remaining, fullInSeconds, nextInSeconds } = buckets.take(name);
    reply.headers({
      'ratelimit-limit': rateLimit,
      'ratelimit-remaining': remaining,
      'ratelimit-reset': fullInSeconds,
    });
    if (isAllowed) return;
    reply.header('retry-after', nextInSeconds);
    throw new AppError('rate_limited', `One caller may send ${rateLimit} requests a second.`);
  });
}

/** Counts the requests of each address that bring no good key. */
export type AddressLimit = {
  /** Counts one, and refuses it when the address has sent too many. */
  take(request: FastifyRequest, reply: FastifyReply): void;
  /** Refuses a request of an address that has sent too many, and counts nothing. */
  check(request: FastifyRequest, reply: FastifyReply): void;
};

export function limitAddresses({
  addressLimit,
  machineClock,
}: Pick<Limits, 'addressLimit' | 'machineClock'>): AddressLimit {
  if (addressLimit === 0) return { take: () => {}, check: () => {} };
  const buckets = tokenBuckets(addressLimit, machineClock);
  const take: AddressLimit['take'] = ({ ip }, reply) => {
    const { isAllowed, nextInSeconds } = buckets.take(networkOf(ip));
    if (isAllowed) return;
    reply.header('retry-after', nextInSeconds);
    throw new AppError('rate_limited', `One address may send ${addressLimit} requests a second without a good key.`);
  };
  return {
    take,
    check: (request, reply) => {
      take(request, reply);
      buckets.giveBack(networkOf(request.ip));
    },
  };
}

const MAPPED_V4 = /^::ffff:(?=\d+\.)/i;
/** The groups of an IPv6 address that name a network. */
const NETWORK_GROUPS = 4;

/** What one caller has: an IPv4 address, or a network of IPv6, within which it may choose any address. */
export function networkOf(address: string): string {
  const plain = address.replace(MAPPED_V4, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const between = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...between, ...last].slice(0, NETWORK_GROUPS).join(':');
}
