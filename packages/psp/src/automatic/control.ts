// The actions by which a test or a person controls the payer of a recurrence, their bank and the PSP.
import type { Core } from '../core.ts';
import type { PaidPix } from '../pix-record.ts';
import { current } from '../state.ts';
import { pixView } from '../views.ts';
import type { CobRAnswer, RecAnswer } from './answers.ts';
import { decide, settle } from './attempts.ts';
import { sendCharge } from './charge-plan.ts';
import type { CobR, Rec } from './model.ts';
import {
  type ApproveInput,
  approve,
  type CancelChargeInput,
  type CancelRecInput,
  cancel,
  cancelOne,
  expire,
  type RejectInput,
  reject,
} from './payer.ts';
import { type AccountInput, setAccount } from './payer-account.ts';
import { requireCharge } from './payer-target.ts';
import type { AutomaticRules, ChargeRefusal } from './rules.ts';
import { cobRView, completeRecView } from './views.ts';

export type AutomaticControl = {
  /** In the payer's bank by the request, or by the code: alone, with a cob that it pays, or with a cobv. */
  approve(input: ApproveInput): { readonly rec: RecAnswer; readonly pix?: PaidPix };
  reject(input: RejectInput): RecAnswer;
  /** Ends an approved recurrence, by default as the payer. */
  cancel(input: CancelRecInput): RecAnswer;
  expire(idRec: string): RecAnswer;
  /** The payer's limit and money. */
  setAccount(input: AccountInput): RecAnswer;
  cancelCharge(input: CancelChargeInput): CobRAnswer;
  /** The payer's bank schedules and collects at once what is open, when there is money. */
  collect(input: { readonly txid: string; readonly clientId?: string }): CobRAnswer;
  /** The payer's bank rejects the next charges with any code; null ends it. */
  refuseCharges(refusal: ChargeRefusal | null): void;
  setRules(rules: Partial<AutomaticRules>): void;
};

export function automaticControl(core: Core): AutomaticControl {
  const showRec = (rec: Rec) => completeRecView(core, rec, current(rec));
  const showCharge = (charge: CobR) => cobRView(core, charge, current(charge));

  /** Due work is run first, as before every call of the API. */
  function now<Input, Output>(work: (input: Input) => Output): (input: Input) => Output {
    return input => {
      core.agenda.run(core.now());
      return work(input);
    };
  }

  return {
    approve: now(input => {
      const { rec, pix } = approve(core, input);
      return { rec: showRec(rec), ...(pix && { pix: pixView(pix) as PaidPix }) };
    }),
    reject: now(input => showRec(reject(core, input))),
    cancel: now(input => showRec(cancel(core, input))),
    expire: now(idRec => showRec(expire(core, idRec))),
    setAccount: now(input => showRec(setAccount(core, input))),
    cancelCharge: now(input => showCharge(cancelOne(core, input))),
    collect: now(input => {
      const charge = requireCharge(core, input);
      const at = core.now();
      sendCharge(core, charge, at);
      for (const { endToEndId } of current(charge).attempts) {
        decide(core, charge, endToEndId, at);
        settle(core, charge, endToEndId, at);
      }
      return showCharge(charge);
    }),
    refuseCharges: refusal => {
      core.automatic.refusal = refusal
        ? {
            codigo: refusal.codigo,
            descricao:
              refusal.descricao ?? `Rejeitada pelo participante do usuário pagador com o código ${refusal.codigo}`,
            left: refusal.count ?? Number.POSITIVE_INFINITY,
          }
        : undefined;
    },
    setRules: rules => {
      core.automatic.rules = { ...core.automatic.rules, ...rules };
    },
  };
}
