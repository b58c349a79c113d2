// Calls the API of a bank: address, headers and token by the profile, within the limits and the deadline of the rail.
import { randomUUID } from 'node:crypto';
import { type Answer, classify, type Unavailable } from './classify.ts';
import { type Connection, type Connections, DEFAULT_MAX_CONCURRENT } from './connection.ts';
import { exchange, type HttpRequest } from './exchange.ts';
import { callLimits, type Deadline, deadlineIn } from './limits.ts';
import type { ClientProfile } from './profile.ts';
import type { ClientDeps, ClientSettings } from './settings.ts';
import { createTokens, type Scopes, type Token, type Tokens } from './token.ts';

export type Call<R extends string = string> = {
  readonly method: HttpRequest['method'];
  readonly resource: R;
  /** What follows the path of the resource; each part is encoded. */
  readonly path?: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; exact numbers stay exact. */
  readonly body?: unknown;
  /** Default: those of the profile. */
  readonly scopes?: Scopes;
};

export type Client<R extends string = string> = {
  /** Never throws for a failure of the PSP or of the network. */
  call(call: Call<R>): Promise<Answer>;
  readonly tokens: Tokens;
};

const DEFAULT_TIMEOUT_SECONDS = 10;
/** A token that is denied access is replaced, in case the PSP has granted more since, but not on every call. */
const DENIED_TOKEN_MS = 60_000;
/** A cached token and two new ones. */
const MAX_TOKENS = 3;

export function createClient<R extends string>(
  settings: ClientSettings,
  profile: ClientProfile<R>,
  connections: Connections,
  deps: ClientDeps,
): Client<R> {
  const { clock, log } = deps;
  const timeoutMs = (settings.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
  const tokens = createTokens(settings, profile, connections, deps, timeoutMs);
  const limits = callLimits(settings.maxConcurrent ?? DEFAULT_MAX_CONCURRENT, settings.perSecond ?? profile.perSecond);
  let problem = '';

  /** Logs an outage once; the next line comes when its reason changes, or for the next outage. */
  function note(answer: Answer): void {
    const reason = 'reason' in answer ? answer.reason : '';
    if (reason !== '' && reason !== problem) log.warn('a call to the PSP failed', { rail: settings.name, reason });
    problem = reason;
  }

  /** A refused token is replaced and the call repeated: the first had no effect. */
  async function callWithToken(call: Call<R>, { signal }: Deadline): Promise<Answer> {
    let refusal: Unavailable | undefined;
    for (let attempt = 1; ; attempt++) {
      const connection = connections.current();
      const taken = await tokens.take(call.scopes ?? profile.scopes, signal);
      if ('kind' in taken) return refusal ? { ...taken, reason: refusal.reason } : taken;
      const { token } = taken;
      const request = requestOf(settings, profile, connection, call, token);
      const answer = classify(await exchange(connection.agent, request, signal), profile, clock);
      if (answer.kind === 'ok' || answer.kind === 'refused') tokens.accepted(token);
      if (answer.kind !== 'unavailable') return answer;
      const ageMs = clock.now().getTime() - token.takenAt.getTime();
      if (answer.status === 403 && ageMs >= DENIED_TOKEN_MS) tokens.drop(token);
      if (answer.status !== 401) return answer;
      if (!tokens.refused(token) || attempt === MAX_TOKENS) return answer;
      refusal = answer;
    }
  }

  return {
    call: async call => {
      const deadline = deadlineIn(timeoutMs);
      const turn = await limits(deadline, () => callWithToken(call, deadline));
      const answer: Answer =
        'value' in turn
          ? turn.value
          : {
              kind: 'unavailable',
              reason: 'the limit of calls to the PSP is reached',
              retryAt: new Date(clock.now().getTime() + turn.busyForMs),
            };
      note(answer);
      return answer;
    },
    tokens,
  };
}

function requestOf<R extends string>(
  settings: ClientSettings,
  profile: ClientProfile<R>,
  { credentials }: Connection,
  call: Call<R>,
  token: Token,
): HttpRequest {
  const values: Readonly<Record<string, string | undefined>> = {
    ...credentials.values,
    clientId: settings.clientId,
    uuid: randomUUID(),
    token: token.text,
  };
  const fill = (template: string) => template.replace(/\{(\w+)\}/g, (_all, name: string) => values[name] ?? '');
  const url = urlOf(profile, call);
  for (const [name, value] of Object.entries({ ...profile.query, ...call.query })) {
    url.searchParams.set(name, fill(value));
  }
  const filled = Object.entries(profile.headers).map(([name, template]) => [name, fill(template)]);
  return {
    method: call.method,
    url,
    headers: {
      accept: 'application/json, application/problem+json',
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(filled),
      ...call.headers,
      authorization: `Bearer ${token.text}`,
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  };
}

function urlOf<R extends string>(profile: ClientProfile<R>, { method, resource, path = [] }: Call<R>): URL {
  const patchPath = method === 'PATCH' ? profile.patchPaths?.[resource] : undefined;
  const beginning = patchPath ?? profile.paths[resource];
  const relative = [beginning, ...path.map(encodeURIComponent)].join('/');
  return new URL(relative, profile.baseUrl.replace(/\/*$/, '/'));
}
