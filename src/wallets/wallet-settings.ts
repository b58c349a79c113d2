// The settings of wallets: the requirements for receiving, and screening.
import { durationUpToAYear, filePath, headerWord, oneOf, onOrOff, serviceUrl } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

export const WALLET_SETTINGS = [
  {
    name: 'TRILHO_WALLET_WAIT',
    kind: durationUpToAYear,
    default: 'PT0S',
    meaning: 'How long after its creation a wallet may first receive.',
  },
  {
    name: 'TRILHO_WALLET_PROOF',
    kind: oneOf(['off', 'declared', 'proven']),
    default: 'off',
    inFile: 'wallets.proof',
    meaning:
      'What must be on record about the holder of a wallet before it may receive: nothing, a declaration or a proof, or a proof by the key of the wallet.',
  },
  {
    name: 'TRILHO_WALLET_APPROVAL',
    kind: onOrOff,
    default: 'off',
    inFile: 'wallets.approval',
    meaning: 'Whether a wallet may receive only after another API key than its maker’s, or an operator, approved it.',
  },
  {
    name: 'TRILHO_SCREENING_FILE',
    kind: filePath,
    inFile: 'wallets.screeningFile',
    meaning:
      'File with blocked addresses, read again when it changes. A relative path starts at the working directory.',
  },
  {
    name: 'TRILHO_SCREENING_URL',
    kind: serviceUrl,
    group: 'screening service',
    inFile: 'wallets.screeningUrl',
    meaning: 'URL of a screening service that is called for each new wallet and before each payout.',
  },
  {
    name: 'TRILHO_SCREENING_SECRET',
    kind: headerWord,
    isSecret: true,
    group: 'screening service',
    meaning: 'The secret that the screening service gets as Authorization: Bearer.',
  },
] as const satisfies readonly Setting[];

type Values = ValuesOf<typeof WALLET_SETTINGS>;

export type WalletPolicySettings = {
  readonly proof: Values['TRILHO_WALLET_PROOF'];
  readonly approval: boolean;
};

/** A list of blocked addresses, and a screening service. */
export type ScreeningSettings = {
  readonly file?: string;
  readonly hook?: { readonly url: string; readonly secret: string };
};

export function walletSettingsOf(values: Values) {
  const walletPolicy: WalletPolicySettings = {
    proof: values.TRILHO_WALLET_PROOF,
    approval: values.TRILHO_WALLET_APPROVAL,
  };
  return { walletWait: values.TRILHO_WALLET_WAIT, walletPolicy, screening: screeningOf(values) };
}

function screeningOf(values: Values): ScreeningSettings {
  const { TRILHO_SCREENING_FILE: file, TRILHO_SCREENING_URL: url, TRILHO_SCREENING_SECRET: secret } = values;
  return {
    ...(file !== undefined && { file }),
    ...(url !== undefined && secret !== undefined && { hook: { url, secret } }),
  };
}
