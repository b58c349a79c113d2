// Limits: requests per second of one caller or address, and concurrent requests of all. Each node counts its own.
import { isIPv6 } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { tokenBuckets } from '../../lib/token-bucket.ts';

export type Limits = {
  /** Requests per second of one key, or in a sandbox of one address; 0 for no limit. */
  readonly rateLimit: number;
  /** Requests per second of one address without a valid key; 0 for no limit. */
  readonly addressLimit: number;
  /** Concurrent requests; 0 for no limit. */
  readonly maxInFlight: number;
  /** The machine's time, which a sandbox does not move. */
  readonly machineClock: Clock;
};

/**
 * Refuses requests above the limit instead of letting all of them wait. A request counts from the arrival of its body until its answer is
 * made: a caller that sends or reads slowly does not block others.
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
  // Before its body is read or its key is looked up.
  app.addHook('onRequest', async request => void refuseIfFull(request));
  app.addHook('preValidation', async (request, reply) => {
    // A caller who left while its key was looked up has already ended, and would never give its place back.
    if (!refuseIfFull(request) || reply.raw.closed) return;
    inFlight++;
    const end = () => {
      if (ends.delete(request)) inFlight--;
    };
    ends.set(request, end);
    // Runs once for each request, whether it was answered or the caller left.
    reply.raw.once('close', end);
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    // A stream is produced while it is sent.
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) ends.get(request)?.();
  });
}

/** A large file is held in memory until it is read. */
const MAX_FILES_AT_ONCE = 4;

/** A hook of routes that take large files. Runs after authentication and before the body is read. */
export function limitFiles(): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let count = 0;
  return async (_request, { raw }) => {
    if (count >= MAX_FILES_AT_ONCE) throw new AppError('overloaded', 'Too many files are being read; try again.');
    // As above: it has already ended.
    if (raw.closed) return;
    count++;
    raw.once('close', () => {
      count--;
    });
  };
}

/**
 * Refuses requests above the rate limit, and reports the remaining quota to each caller, in the headers of
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-06. Runs after authentication.
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

/** Counts the requests of each address without a valid key. */
type AddressLimit = {
  /** Counts one, and refuses it when the address has sent too many. */
  take(request: FastifyRequest, reply: FastifyReply): void;
  /** Refuses a request of an address that has sent too many, without counting it. */
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
    throw new AppError('rate_limited', `One address may send ${addressLimit} requests a second without a valid key.`);
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

/** The unit of one caller: an IPv4 address, or an IPv6 network, in which it can choose any address. */
export function networkOf(address: string): string {
  const plain = address.replace(MAPPED_V4, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const between = Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...between, ...last].slice(0, NETWORK_GROUPS).join(':');
}
