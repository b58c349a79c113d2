// Questions before the first transfer: is each provider a node of the network, are the tokens where we think, and are the
// senders plain accounts? A wrong answer is a fault of the settings; what does not answer is asked again before use.
import { type AssetSymbol, SYMBOLS } from '../asset.ts';
import { blocklistData, DECIMALS_DATA } from './contracts.ts';
import type { Provider } from './provider.ts';
import { readBytes, readHead, readWord } from './read.ts';
import type { EvmPlan } from './settings.ts';
import { firstOf, replyValue } from './watch.ts';

/** EIP-7702: the code of an account that has delegated itself. https://eips.ethereum.org/EIPS/eip-7702 */
const DELEGATED = '0xef0100';

export type StartCheck = {
  /** Each begins with the path of its setting inside the entry. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Whether tokens and senders were checked; if not, they are checked before the first transfer. */
  readonly isComplete: boolean;
  /** Whether the first sender has delegated itself: nodes then take one transaction of it at a time. */
  readonly isDelegated: boolean;
};

type Deps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan; readonly senders: readonly string[] };

/** The code at an address, without that of a delegation; undefined when no provider answers. */
export async function codeAt(providers: readonly Provider[], address: string): Promise<string | undefined> {
  return firstOf(providers, async provider =>
    replyValue(await provider.ask('eth_getCode', [address, 'latest'], readBytes)),
  );
}

export function isCode(code: string): boolean {
  return code !== '0x' && !code.startsWith(DELEGATED);
}

export async function startCheck({ providers, plan, senders }: Deps): Promise<StartCheck> {
  const ofProviders = await Promise.all(providers.map((provider, index) => checkProvider(provider, index, plan)));
  const ofTokens = await Promise.all(
    SYMBOLS.flatMap(symbol => {
      const token = plan.tokens[symbol];
      return token ? [checkToken(providers, plan, symbol, token)] : [];
    }),
  );
  const codes = await Promise.all(senders.map(sender => codeAt(providers, sender)));
  const ofSenders = codes.flatMap((code, index) =>
    code !== undefined && isCode(code) ? [`senders[${index}] is a contract, which has no key`] : [],
  );
  const checks = [...ofProviders, ...ofTokens];
  return {
    faults: [...checks.flatMap(({ fault }) => fault ?? []), ...ofSenders],
    warnings: checks.flatMap(({ warning }) => warning ?? []),
    isComplete: ofTokens.every(({ isSilent }) => !isSilent) && codes.every(code => code !== undefined),
    isDelegated: codes[0]?.startsWith(DELEGATED) ?? false,
  };
}

type Checked = { readonly fault?: string; readonly warning?: string; readonly isSilent?: true };

async function checkProvider(provider: Provider, index: number, { chainId, network }: EvmPlan): Promise<Checked> {
  const where = `providers[${index}]`;
  const found = await provider.chainId();
  if (found === undefined) {
    return { warning: `${where} (${provider.name}) does not answer; it is checked before its first use` };
  }
  if (found !== BigInt(chainId)) {
    return { fault: `${where}.url is a node of chain ${found}, not of ${network} (${chainId})` };
  }
  const final = await provider.ask('eth_getBlockByNumber', ['finalized', false], readHead);
  if (final.kind === 'silence' || (final.kind === 'value' && final.value)) return {};
  return { fault: `${where}.url is a node that does not say which block is final` };
}

async function checkToken(
  providers: readonly Provider[],
  { facts, network, isTest }: EvmPlan,
  symbol: AssetSymbol,
  { address, decimals }: { readonly address: string; readonly decimals: number },
): Promise<Checked> {
  const code = await codeAt(providers, address);
  if (code === undefined) return { isSilent: true };
  const setting = isTest ? `test.tokens.${symbol}` : 'providers';
  const where = `${setting}: the contract of ${symbol} on ${network}, ${address},`;
  if (!isCode(code)) return { fault: `${where} has no code` };
  const call = (data: string) =>
    firstOf(providers, async provider => {
      const reply = await provider.ask('eth_call', [{ to: address, data }, 'latest'], readWord);
      return reply.kind === 'silence' ? undefined : reply;
    });
  const found = await call(DECIMALS_DATA);
  if (!found) return { isSilent: true };
  if (found.kind !== 'value' || found.value !== BigInt(decimals)) {
    const said = found.kind === 'value' ? String(found.value) : 'none';
    return { fault: `${where} must have ${decimals} decimals, and has ${said}` };
  }
  const list = facts.tokens[symbol]?.blocklist;
  const answer = list && (await call(blocklistData(list, address)));
  if (list && answer?.kind !== 'value') {
    return { warning: `${where} does not answer ${list}; blocked payees are found only by simulating the transfer` };
  }
  return {};
}
