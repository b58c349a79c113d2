// The control API: plain HTTP on the loopback, the methods of a started PSP one to one.
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  readAccount,
  readApproval,
  readChargeCancel,
  readChargeRefusal,
  readRecCancel,
  readRejection,
  readRules,
} from './automatic/control-input.ts';
import { isObject, type JsonObject } from './checks.ts';
import {
  readClient,
  readEndRefund,
  readFault,
  readIssue,
  readMed,
  readMoment,
  readPayment,
  readRefundRule,
  readTexts,
  readTitlePayment,
  readTitleRule,
} from './control-input.ts';
import { PspRefusal } from './payer.ts';
import { ApiRefusal } from './problem.ts';
import type { Psp } from './psp.ts';
import { readBody, splitUrl, writeReply } from './wire.ts';

type Answer = { readonly status: number; readonly body?: unknown };
type Action = (psp: Psp, body: JsonObject, param: string) => Answer | Promise<Answer>;

const ok = (body: unknown): Answer => ({ status: 200, body });
const done: Answer = { status: 204 };

/** By method and path; the last segment of some is a parameter. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'GET /': psp => {
    const { profile, url, tokenUrl, controlUrl, jwksUrl, files } = psp;
    return ok({ profile, url, tokenUrl, controlUrl, jwksUrl, files, clients: psp.clients() });
  },
  'POST /pay': async (psp, body) => ({ status: 201, body: await psp.pay(readPayment(body)) }),
  'POST /boletos/pay': async (psp, body) => ({ status: 201, body: await psp.payTitle(readTitlePayment(body)) }),
  'PUT /boletos': (psp, body) => {
    psp.setTitles(readTitleRule(body));
    return done;
  },
  'POST /recs/approve': (psp, body) => ok(psp.automatic.approve(readApproval(body))),
  'POST /recs/reject': (psp, body) => ok(psp.automatic.reject(readRejection(body))),
  'POST /recs/cancel': (psp, body) => ok(psp.automatic.cancel(readRecCancel(body))),
  'POST /recs/expire': (psp, body) => ok(psp.automatic.expire(readTexts(body, ['idRec'], []).idRec)),
  'PUT /recs/account': (psp, body) => ok(psp.automatic.setAccount(readAccount(body))),
  'PUT /recs/rules': (psp, body) => {
    psp.automatic.setRules(readRules(body));
    return done;
  },
  'POST /cobrs/collect': (psp, body) => ok(psp.automatic.collect(readTexts(body, ['txid'], ['clientId']))),
  'POST /cobrs/cancel': (psp, body) => ok(psp.automatic.cancelCharge(readChargeCancel(body))),
  'PUT /cobrs/refusal': (psp, body) => {
    psp.automatic.refuseCharges(readChargeRefusal(body));
    return done;
  },
  'POST /med': (psp, body) => ({ status: 201, body: psp.medReturn(readMed(body)) }),
  'POST /charges/{}/remove': (psp, _body, txid) => {
    psp.removeCharge(txid);
    return done;
  },
  'PUT /refunds': (psp, body) => {
    psp.setRefunds(readRefundRule(body));
    return done;
  },
  'POST /refunds/end': (psp, body) => ok(psp.endRefund(readEndRefund(body))),
  'GET /faults': psp => ok(psp.faults()),
  'POST /faults': (psp, body) => ({ status: 201, body: { id: psp.setFault(readFault(body)) } }),
  'DELETE /faults': psp => {
    psp.clearFaults();
    return done;
  },
  'DELETE /faults/{}': (psp, _body, id) => {
    psp.clearFaults(id);
    return done;
  },
  'GET /notifications': psp => ok(psp.notifications()),
  'POST /notifications/deliver': async psp => {
    await psp.deliverNow();
    return ok(psp.notifications());
  },
  'POST /notifications/forge': async (psp, body) =>
    ok({ answer: await psp.forgeNotification(body as Parameters<Psp['forgeNotification']>[0]).catch(() => 0) }),
  'GET /requests': psp => ok(psp.requests()),
  'GET /state': psp => ok(psp.state()),
  'POST /tokens/revoke': psp => {
    psp.revokeTokens();
    return done;
  },
  'GET /clock': psp => ok({ now: psp.now().toISOString() }),
  'POST /clock': (psp, body) => {
    psp.moveClock(readMoment(body));
    return ok({ now: psp.now().toISOString() });
  },
  'GET /clients': psp => ok(psp.clients()),
  'POST /clients': async (psp, body) => ({ status: 201, body: await psp.addClient(readClient(body)) }),
  'POST /certificates': async (psp, body) => ({ status: 201, body: await psp.issueCertificate(readIssue(body)) }),
};

export const CONTROL_REQUESTS = Object.keys(ACTIONS);

export function createControlServer(psp: () => Psp): http.Server {
  return http.createServer((request, response) => {
    answer(psp(), request).then(
      reply => writeReply(response, reply),
      error => refuse(response, error),
    );
  });
}

async function answer(psp: Psp, request: IncomingMessage): Promise<Answer> {
  const { method = 'GET', url = '/' } = request;
  const text = await readBody(request);
  const [path] = splitUrl(url);
  const found = findAction(method, path);
  if (!found) return { status: 404, body: { error: 'not_found', message: `There is no ${method} ${path}.` } };
  const body: unknown = text === '' ? {} : JSON.parse(text);
  if (!isObject(body)) throw new SyntaxError('The body must be a JSON object.');
  return found.action(psp, body, found.param);
}

function findAction(method: string, path: string): { action: Action; param: string } | undefined {
  const exact = ACTIONS[`${method} ${path}`];
  if (exact) return { action: exact, param: '' };
  const [, first, param = '', rest = ''] = /^\/(\w+)\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
  const action = ACTIONS[`${method} /${first}/{}${rest}`];
  return action && { action, param: decodeURIComponent(param) };
}

/** Errors of reading a body or a path, and refusals of the PSP. */
const BAD_INPUT = ['SyntaxError', 'RangeError', 'TypeError', 'URIError', 'PspError'];

function refuse(response: ServerResponse, error: unknown): void {
  const { name, message } = error as Error;
  if (error instanceof PspRefusal) writeReply(response, { status: 409, body: { error: error.code, message } });
  else if (error instanceof ApiRefusal)
    writeReply(response, { status: error.status, body: { error: 'bad_input', message } });
  else if (BAD_INPUT.includes(name)) {
    writeReply(response, { status: 400, body: { error: 'bad_input', message } });
  } else writeReply(response, { status: 500, body: { error: 'internal', message } });
}
