// Given and missing approvals of a payout or a wallet, by group.
import type { approvalsView } from '../../accounts/approvals.ts';
import { html, type Piece } from '../html.ts';
import { when } from './formats.ts';
import { table } from './parts.ts';

type Approvals = ReturnType<typeof approvalsView>;

/** Whether a group must still approve. */
export function isLacking(approvals: Approvals): boolean {
  return approvals?.groups.some(({ missing }) => missing > 0) ?? false;
}

export function approvalsCard(approvals: Approvals): Piece {
  if (!approvals) return undefined;
  const { given, groups } = approvals;
  const rows = groups.map(({ name, needed, given: counted, missing }) => [
    name,
    String(needed),
    String(counted),
    missing === 0 ? 'complete' : `${missing} missing`,
  ]);
  const list = given.map(({ by, at }) => html`<li>${when(at)} <code>${by}</code></li>`);
  return html`<section class="card"><h2>Approvals</h2>${
    rows.length > 0 && table({ caption: 'Groups that approve', head: ['Group', '#Needed', '#Given', 'State'], rows })
  }${list.length === 0 ? html`<p>Nothing was approved yet.</p>` : html`<ol class="timeline">${list}</ol>`}</section>`;
}
