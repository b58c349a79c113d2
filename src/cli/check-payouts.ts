// What the doctor finds about payouts: whether each signer signs, each node answers, and each sender can pay.
import { symbolsOn } from '../chains/asset.ts';
import { activeSendersOf, type Chain, type Chains } from '../chains/chain.ts';
import { coinOf, decimalsOf } from '../chains/networks.ts';
import { openChains } from '../chains/open-chains.ts';
import { isRemoteSilent, openSigner, sentencesOf } from '../chains/signer/open-signers.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { formatUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Finding, right, warning, wrong } from './finding.ts';

export async function checkPayouts(config: Config, log: Log): Promise<Finding[]> {
  if (config.chains.length === 0) {
    return config.mode === 'live'
      ? [warning('chains: not configured; every order is refused until chains are set')]
      : [];
  }
  const signers = await checkSigners(config);
  // A chain asks its nodes about the addresses of its signers.
  if (signers.some(({ level, isOpen }) => level === 'wrong' && !isOpen)) {
    return [...signers, wrong('chains: not checked while a signer cannot be opened')];
  }
  const chains = await openOrFaults(config, log);
  if ('faults' in chains) return [...signers, ...chains.faults.map(message => wrong(`chains: ${message}`))];
  const checked = await Promise.all(Object.values(chains.open).map(checkChain));
  return [...signers, ...checked.flat()];
}

type SignerFinding = Finding & { readonly isOpen: boolean };

/** One after the other: decrypting a keystore takes 256 MiB. */
async function checkSigners({ signers }: Config): Promise<SignerFinding[]> {
  const findings: SignerFinding[] = [];
  for (const [index, entry] of signers.entries()) {
    const of = `signer ${entry.name}`;
    const opened = await openSigner(entry);
    if ('faults' in opened) {
      findings.push(
        ...sentencesOf(index, opened.faults).map(message => ({ ...wrong(`${of}: ${message}`), isOpen: false })),
      );
    } else if (entry.kind === 'remote' && (await isRemoteSilent(entry))) {
      findings.push({
        ...wrong(`${of}: does not list its keys; nothing is signed until it does`),
        isOpen: true,
      });
    } else {
      findings.push({ ...right(`${of}: has the key of ${opened.open.evm}`), isOpen: true });
    }
  }
  return findings;
}

async function openOrFaults(config: Config, log: Log): Promise<{ open: Chains } | { faults: readonly string[] }> {
  try {
    return { open: await openChains(config, log, systemClock) };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { faults: error.message.split('\n') };
  }
}

async function checkChain(chain: Chain): Promise<Finding[]> {
  const { network } = chain;
  const { head, fault, providers } = await chain.health();
  const silent = providers.filter(({ isAnswering }) => !isAnswering);
  if (head === undefined) return [wrong(`chain ${network}: no node answers${messagesOf(silent)}`)];
  return [
    fault === undefined ? right(`chain ${network}: answers, head ${head}`) : wrong(`chain ${network}: ${fault}`),
    ...silent.map(one => warning(`chain ${network}: ${one.name} does not answer${messagesOf([one])}`)),
    ...(await Promise.all(activeSendersOf(chain).map(sender => checkFunds(chain, sender)))).flat(),
  ];
}

function messagesOf(providers: readonly { readonly words?: string }[]): string {
  const messages = providers.flatMap(one => one.words ?? []);
  return messages.length === 0 ? '' : `: ${messages.join('; ')}`;
}

/** A sender that takes new slots must be able to pay the fee of one transfer, and have something to send. */
async function checkFunds(chain: Chain, sender: string): Promise<Finding[]> {
  const { network, window } = chain;
  const of = `funds of ${sender} on ${network}`;
  const coin = coinOf(network);
  const asked = await Promise.all(
    symbolsOn(network).map(async symbol => ({ symbol, funds: await chain.funds(sender, symbol) })),
  );
  const known = asked.flatMap(({ symbol, funds }) => (funds ? [{ symbol, ...funds }] : []));
  const [any] = known;
  if (!any) return [wrong(`${of}: no node reports them`)];
  const has = known
    .filter(({ symbol }) => symbol !== coin.symbol)
    .map(({ symbol, asset }) => ({
      symbol,
      asset,
      text: `${formatUnits(asset, decimalsOf(symbol, network))} ${symbol}`,
    }));
  const message = `${of}: ${[`${formatUnits(any.coin, coin.decimals)} ${coin.symbol}`, ...has.map(({ text }) => text)].join(', ')}`;
  const worst = known.reduce((most, { worstFee }) => (worstFee > most ? worstFee : most), 0n);
  const fee = `${formatUnits(worst, coin.decimals)} ${coin.symbol}`;
  if (any.coin < worst) return [wrong(`${message}; one transfer may cost ${fee}: fill it up`)];
  if (has.length > 0 && has.every(({ asset }) => asset === 0n)) return [wrong(`${message}; there is no token to send`)];
  const empty = has.filter(({ asset }) => asset === 0n).map(({ symbol }) => `no ${symbol}`);
  const low =
    any.coin < worst * BigInt(window)
      ? [`a full window of ${window} transfers may cost more than its ${coin.symbol}`]
      : [];
  const reasons = [...empty, ...low];
  return [reasons.length === 0 ? right(message) : warning(`${message}; ${reasons.join(', ')}`)];
}
