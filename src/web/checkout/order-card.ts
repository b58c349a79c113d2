// What the payer of an order buys, and the progress of its transfer.
import { NETWORK_FACTS } from '../../chains/networks.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { type Html, html } from '../html.ts';
import { maskedAddress } from './masks.ts';
import type { Bought, View } from './view-model.ts';

export function orderCard({ texts, formats }: View, { order, payout, confirmationsNeeded }: Bought): Html {
  const hash = payout?.hash ?? payout?.attempts.at(-1)?.hash;
  const said = texts.order;
  const progress = order.ended ? said.ended : order.hold ? said.held : said[order.status];
  const isOnItsWay = order.status === 'fulfilling' && !order.ended && !order.hold;
  const isCounting = payout !== undefined && isOnItsWay && confirmationsNeeded !== undefined;
  const quantity = order.quantity.replace('.', formats.decimalSign);
  return html`<section class="card order" aria-labelledby="order-heading"><h2 id="order-heading">${said.heading}</h2>
<dl class="facts">
<div><dt>${said.quantity}</dt><dd>${quantity} ${order.symbol.toUpperCase()}</dd></div>
<div><dt>${said.network}</dt><dd>${NETWORK_FACTS[order.network].label}</dd></div>
<div><dt>${said.wallet}</dt><dd class="mono">${maskedAddress(order.walletAddress)}</dd></div>
<div><dt>${said.settles}</dt><dd>${formats.day(civilDay(order.settlementDate))}</dd></div>
<div><dt>${said.progress}</dt><dd>${progress}${isCounting && ` (${said.confirmations(payout.confirmations, confirmationsNeeded)})`}</dd></div>
${hash !== undefined && html`<div><dt>${said.hash}</dt><dd class="mono">${hash}</dd></div>`}
</dl></section>`;
}
