// The effect of a fault on a call: before it is carried out, or on its answer.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from './checks.ts';
import type { Core, Reply } from './core.ts';
import type { Fault } from './faults.ts';
import { ApiRefusal, type KindName } from './problem.ts';
import { htmlReply, writeReply } from './wire.ts';

const STATUS_KINDS: Readonly<Record<number, KindName>> = {
  400: 'RequisicaoInvalida',
  401: 'TokenInvalido',
  403: 'AcessoNegado',
  404: 'NaoEncontrado',
  409: 'TxidDuplicado',
  410: 'PermanentementeRemovido',
  429: 'MuitasRequisicoes',
  503: 'ServicoIndisponivel',
};

/** Names the fault in the answer that it made or changed, so that it is not mistaken for the PSP's own behaviour. */
export const FAULT_HEADER = 'x-simulated-fault';

/** What to answer instead of carrying the call out; `silence` is no answer, `cut` ends the connection. */
export function insteadOf(fault: Fault | undefined): ApiRefusal | Reply | 'silence' | 'cut' | undefined {
  if (fault === undefined) return undefined;
  const { kind, status, retryAfterSeconds } = fault;
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (kind === 'timeout-before') return 'silence';
  if (kind === 'cut') return 'cut';
  if (kind === 'html') return htmlReply(status ?? 502, 'Bad Gateway', headers);
  if (kind === 'status') {
    const code = status ?? 500;
    return new ApiRefusal(STATUS_KINDS[code] ?? 'ErroInternoDoServidor', [], { status: code, headers });
  }
  return kind === 'expired-token' ? new ApiRefusal('TokenInvalido') : undefined;
}

/** Sends the answer of a call that was carried out, unless the fault withholds it; returns the status, or 0. */
export async function sendReply(
  core: Core,
  fault: Fault | undefined,
  reply: Reply,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<number> {
  if (fault?.kind === 'timeout-after') return 0;
  if (fault?.kind === 'lost-reply') {
    request.socket.destroy();
    return 0;
  }
  if (fault?.kind === 'slow') await new Promise<void>(resolve => core.later(fault.delayMs ?? 1000, resolve));
  const sent = fault ? changed(core, fault, reply) : reply;
  writeReply(response, fault ? { ...sent, headers: { ...sent.headers, [FAULT_HEADER]: fault.kind } } : sent);
  return reply.status;
}

function changed(core: Core, { kind, code = '', state = '' }: Fault, reply: Reply): Reply {
  if (kind === 'wrong-code') return withCode(core, reply, code);
  return kind === 'wrong-state' ? withState(reply, state) : reply;
}

function withState(reply: Reply, status: string): Reply {
  const { body } = reply;
  return isObject(body) && typeof body['status'] === 'string' ? { ...reply, body: { ...body, status } } : reply;
}

function withCode({ profile: { codeField } }: Core, reply: Reply, code: string): Reply {
  const { body } = reply;
  if (!isObject(body)) return reply;
  const { dadosQR } = body;
  if (isObject(dadosQR)) return { ...reply, body: { ...body, dadosQR: { ...dadosQR, pixCopiaECola: code } } };
  return codeField in body ? { ...reply, body: { ...body, [codeField]: code } } : reply;
}
