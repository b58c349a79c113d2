// The notifications of Pix Automático, at every change of a state.
import type { Core } from '../core.ts';
import type { PixRecord } from '../pix-record.ts';
import { chargeKey, current } from '../state.ts';
import type { CobRNotice, RecNotice } from './answers.ts';
import type { CobR, Rec } from './model.ts';
import { cobRPixView, recView } from './views.ts';

export function notifyRec(core: Core, rec: Rec): void {
  const webhook = core.state.automatic.webhooks.rec.get(rec.clientId);
  if (!webhook) return;
  const { idRec, status, atualizacao, encerramento, ativacao } = recView(core, rec, current(rec));
  const notice: RecNotice = { idRec, status, atualizacao, ...(encerramento && { encerramento }), ativacao };
  core.notifier.announce(webhook.webhookUrl, { recs: [notice] });
}

export function notifyCobR(core: Core, charge: CobR): void {
  const webhook = core.state.automatic.webhooks.cobr.get(charge.rec.clientId);
  if (!webhook) return;
  const version = current(charge);
  const { status, atualizacao, attempts, encerramento } = version;
  const pix = cobRPixView(version);
  const notice: CobRNotice = {
    idRec: charge.rec.idRec,
    txid: charge.txid,
    status,
    atualizacao,
    ...(encerramento && { encerramento }),
    ...(attempts.length > 0 && { tentativas: attempts }),
    ...(pix.length > 0 && { pix }),
  };
  core.notifier.announce(webhook.webhookUrl, { cobsr: [notice] });
}

/** Calls the webhook about a refund if the pix belongs to a recurrence; returns whether it does. */
export function notifyAutomaticPix(core: Core, { clientId, txid }: PixRecord): boolean {
  const charge = txid === undefined ? undefined : core.state.automatic.charges.get(chargeKey(clientId, txid));
  if (charge) notifyCobR(core, charge);
  return charge !== undefined;
}
