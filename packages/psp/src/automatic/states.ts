// The states of Pix Automático as the norm names them, and which may follow which. The norm has no diagram: a transition that
// none of its texts or examples states is marked as derived. README.md draws these tables.

type Next<Status extends string> = {
  readonly to: Status;
  readonly when: string;
  /** Not in the norm: concluded from its codes, its examples and what PSPs publish. */
  readonly derived?: true;
};
type Transitions<Status extends string> = Readonly<Record<Status, readonly Next<Status>[]>>;

export type RecStatus = 'CRIADA' | 'APROVADA' | 'REJEITADA' | 'EXPIRADA' | 'CANCELADA';

/** A recurrence: what the payer authorises. */
export const REC_TRANSITIONS = {
  CRIADA: [
    { to: 'APROVADA', when: 'the payer approves it' },
    { to: 'REJEITADA', when: 'the payer refuses it' },
    { to: 'CANCELADA', when: 'the receiver cancels it' },
    { to: 'EXPIRADA', when: 'dataFinal has passed', derived: true },
  ],
  APROVADA: [
    { to: 'CANCELADA', when: 'the receiver, the payer or a PSP cancels it' },
    { to: 'EXPIRADA', when: 'dataFinal has passed', derived: true },
  ],
  REJEITADA: [],
  EXPIRADA: [],
  CANCELADA: [],
} as const satisfies Transitions<RecStatus>;

export type SolicRecStatus = 'CRIADA' | 'ENVIADA' | 'RECEBIDA' | 'REJEITADA' | 'ACEITA' | 'EXPIRADA' | 'CANCELADA';

/** A request in the payer's bank to approve a recurrence. */
export const SOLICREC_TRANSITIONS = {
  CRIADA: [
    { to: 'ENVIADA', when: 'it goes to the payer’s bank' },
    { to: 'CANCELADA', when: 'the receiver cancels it or its recurrence' },
  ],
  ENVIADA: [
    { to: 'RECEBIDA', when: 'the payer’s bank has it', derived: true },
    { to: 'REJEITADA', when: 'the payer’s bank refuses it' },
    { to: 'CANCELADA', when: 'the receiver cancels it or its recurrence' },
  ],
  RECEBIDA: [
    { to: 'ACEITA', when: 'the payer accepts', derived: true },
    { to: 'REJEITADA', when: 'the payer refuses', derived: true },
    { to: 'EXPIRADA', when: 'dataExpiracaoSolicitacao has passed', derived: true },
    { to: 'CANCELADA', when: 'the receiver cancels it or its recurrence, or the payer approves by a code' },
  ],
  REJEITADA: [],
  ACEITA: [],
  EXPIRADA: [],
  CANCELADA: [],
} as const satisfies Transitions<SolicRecStatus>;

export type CobRStatus = 'CRIADA' | 'ATIVA' | 'CONCLUIDA' | 'EXPIRADA' | 'REJEITADA' | 'CANCELADA';

/** The charge of one cycle. */
export const COBR_TRANSITIONS = {
  CRIADA: [
    { to: 'ATIVA', when: 'its first attempt goes to the payer’s bank' },
    { to: 'CANCELADA', when: 'the receiver cancels it, or its recurrence ends' },
  ],
  ATIVA: [
    { to: 'CONCLUIDA', when: 'an attempt is paid', derived: true },
    { to: 'REJEITADA', when: 'the payer’s bank rejects an attempt for good' },
    { to: 'CANCELADA', when: 'the receiver or the payer cancels it, or its recurrence ends' },
    { to: 'EXPIRADA', when: 'no attempt is open and none may follow', derived: true },
  ],
  CONCLUIDA: [],
  EXPIRADA: [],
  REJEITADA: [],
  CANCELADA: [],
} as const satisfies Transitions<CobRStatus>;

export type AttemptStatus = 'SOLICITADA' | 'AGENDADA' | 'PAGA' | 'CANCELADA' | 'REJEITADA' | 'EXPIRADA';

/** An attempt to collect a charge. */
export const ATTEMPT_TRANSITIONS = {
  SOLICITADA: [
    { to: 'AGENDADA', when: 'the payer’s bank schedules it' },
    { to: 'REJEITADA', when: 'the payer’s bank rejects it' },
    { to: 'CANCELADA', when: 'its charge is canceled' },
  ],
  AGENDADA: [
    { to: 'PAGA', when: 'it is settled on its day', derived: true },
    { to: 'EXPIRADA', when: 'its day has passed 21:00 without money', derived: true },
    { to: 'CANCELADA', when: 'its charge is canceled' },
  ],
  PAGA: [],
  CANCELADA: [],
  REJEITADA: [],
  EXPIRADA: [],
} as const satisfies Transitions<AttemptStatus>;

/** `AGND` is for the due day, `NTAG` one that the receiver asks for after it, `RIFL` one that the PSP sends again. */
export type AttemptKind = 'AGND' | 'NTAG' | 'RIFL';
export type Journey = 'JORNADA_1' | 'JORNADA_2' | 'JORNADA_3' | 'JORNADA_4' | 'AGUARDANDO_DEFINICAO';
export type Periodicity = 'SEMANAL' | 'MENSAL' | 'TRIMESTRAL' | 'SEMESTRAL' | 'ANUAL';
export type RetryPolicy = 'NAO_PERMITE' | 'PERMITE_3R_7D';
export const CANCELED_BY = ['PSP_PAGADOR', 'USUARIO_PAGADOR', 'PSP_RECEBEDOR', 'USUARIO_RECEBEDOR'] as const;
export type CanceledBy = (typeof CANCELED_BY)[number];

/** By the norm the charge continues with these codes of an attempt; with any other it is rejected. */
export const CODES_THAT_LEAVE_THE_CHARGE = [
  'AB10',
  'AC06',
  'AM02',
  'DTNT',
  'FBRD',
  'IRNT',
  'NIEC',
  'NIPA',
  'QUNT',
  'UDEI',
] as const;

export function mayFollow<Status extends string>(table: Transitions<Status>, from: Status, to: Status): boolean {
  return table[from].some(next => next.to === to);
}
