// The life of a request in the payer's bank.
import type { Core } from '../core.ts';
import { change, current } from '../state.ts';
import type { SolicRec } from './model.ts';
import { mayFollow, SOLICREC_TRANSITIONS, type SolicRecStatus } from './states.ts';

const OPEN: readonly SolicRecStatus[] = ['CRIADA', 'ENVIADA', 'RECEBIDA'];

export function isOpenRequest(request: SolicRec): boolean {
  return OPEN.includes(current(request).status);
}

/** Through the states in between, if the clock has not reached them yet. */
export function moveRequest(request: SolicRec, at: Date, to: SolicRecStatus): void {
  const between = OPEN.slice(OPEN.indexOf(current(request).status) + 1);
  while (!mayFollow<SolicRecStatus>(SOLICREC_TRANSITIONS, current(request).status, to)) {
    const next = between.shift();
    if (next === undefined) throw new Error(`a request cannot become ${to} from ${current(request).status}`);
    step(request, at, next);
  }
  step(request, at, to);
}

function step(request: SolicRec, at: Date, status: SolicRecStatus): void {
  const { atualizacao } = current(request);
  change(request, at, { status, atualizacao: [...atualizacao, { status, data: at.toISOString() }] });
}

/** Its delivery to the payer's bank, and its end without an answer. */
export function planRequest(core: Core, request: SolicRec): void {
  const { stepMs } = core.automatic.rules;
  const createdMs = request.createdAt.getTime();
  for (const [index, to] of (['ENVIADA', 'RECEBIDA'] as const).entries()) {
    core.agenda.plan(new Date(createdMs + (index + 1) * stepMs), at => {
      if (current(request).status === OPEN[index]) moveRequest(request, at, to);
    });
  }
  core.agenda.plan(request.expiresAt, at => {
    if (isOpenRequest(request)) moveRequest(request, at, 'EXPIRADA');
  });
}
