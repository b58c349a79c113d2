// Everything the PSP knows, as plain data for a test or a person to look at.
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
};

export function showState(core: Core): PspState {
  const { charges, pix, locations, webhooks, titles } = core.state;
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
  };
}
