// Which simulated chains a case may have silenced. Cases run concurrently, so the order in which the service handled them is unknown:
// a chain counts as silent until a fault that lets it answer was requested after the silence had been confirmed.
import { NETWORKS } from '../../src/chains/asset.ts';
import type { Exchange } from '../../test/harness/openapi.ts';
import type { Case } from './make-case.ts';

type Silenced = {
  /** Call it before a case is sent, and its result with the answer. */
  follow(sent: Case): (reply: Exchange | Error) => void;
  /** Whether an answer says that a chain is silent which may have been so since the case was sent. */
  explains(reply: Exchange, sentMs: number): boolean;
};

/** A request to a chain: `fault` is the chain's fault afterwards, unknown until it is answered. */
type Order = { readonly network: string; readonly sentMs: number; endedMs: number; fault?: string };

const ORDER = /^\/sandbox\/chains\/(\w+)(\?|$)/;
const SILENT = 'rpc_timeout';

export function followSilenced(): Silenced {
  const orders = new Set<Order>();

  function maySilence(order: Order, sentMs: number): boolean {
    if (order.fault !== undefined && order.fault !== SILENT) return false;
    const lifts = ({ network, fault = SILENT, ...later }: Order) =>
      network === order.network && fault !== SILENT && later.sentMs > order.endedMs && later.endedMs < sentMs;
    return ![...orders].some(lifts);
  }

  return {
    follow: ({ method, path }) => {
      const network = method === 'POST' ? ORDER.exec(path)?.[1] : undefined;
      if (network === undefined) return () => {};
      const order: Order = { network, sentMs: performance.now(), endedMs: Number.POSITIVE_INFINITY };
      orders.add(order);
      return reply => {
        // Without an answer it may still be carried out.
        if (reply instanceof Error) return;
        order.endedMs = performance.now();
        if (reply.status === 200) order.fault = (reply.json as { fault: string }).fault;
        else orders.delete(order);
      };
    },
    explains: ({ status, json }, sentMs) => {
      const { code, detail = '' } = (json ?? {}) as { readonly code?: unknown; readonly detail?: string };
      if (status !== 503 || code !== 'chain_unavailable') return false;
      const network = NETWORKS.find(name => new RegExp(`\\b(of|on) ${name}\\b`).test(detail));
      return [...orders].some(order => order.network === network && maySilence(order, sentMs));
    },
  };
}
