// The complete state of the PSP, as plain data for a test or a person.
import type { CobRAnswer, RecAnswer } from './automatic/answers.ts';
import { cobRView, completeRecView } from './automatic/views.ts';
import type { Core } from './core.ts';
import { current } from './state.ts';
import { type TitleState, titleState } from './titles/view.ts';
import { chargeView, locationView, pixView, webhookView } from './views.ts';

export type PspState = {
  readonly charges: readonly object[];
  readonly pix: readonly object[];
  readonly locations: readonly object[];
  readonly webhooks: readonly object[];
  readonly titles: readonly TitleState[];
  /** Recurrences with their requests, and their charges. */
  readonly recs: readonly RecAnswer[];
  readonly cobsr: readonly CobRAnswer[];
};

export function showState(core: Core): PspState {
  const { charges, pix, locations, webhooks, titles, automatic } = core.state;
  return {
    charges: [...charges.values()].map(charge => ({
      tipoCob: charge.kind,
      clientId: charge.clientId,
      ...chargeView(core, charge, current(charge)),
    })),
    pix: [...pix.values()].map(one => ({ clientId: one.clientId, ...pixView(one) })),
    locations: [...locations.values()].map(location => locationView(core, location)),
    webhooks: [...webhooks.values()].map(webhook => webhookView(core, webhook)),
    titles: [...titles.values()].map(titleState),
    recs: [...automatic.recs.values()].map(rec => completeRecView(core, rec, current(rec))),
    cobsr: [...automatic.charges.values()].map(charge => cobRView(core, charge, current(charge))),
  };
}
