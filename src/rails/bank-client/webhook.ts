// The address at which a bank sends notifications of payments.

export type WebhookAdmin = {
  /** Replaces the address. Throws `wrong_state` when the bank refuses it. */
  registerWebhook(url: string, options?: { readonly skipMtls?: boolean }): Promise<void>;
  /** Undefined when no webhook is registered. */
  readWebhook(): Promise<{ readonly url: string } | undefined>;
};

/** The address of a rail at this service: `url` of its settings, then the secret part of the path. */
export function webhookAddress(url: string, pathToken: string): string {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/${pathToken}`;
  return address.href;
}
