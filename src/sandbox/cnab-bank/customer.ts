// The customer whose files the simulated bank accepts.
export type Customer = {
  /** Three digits. */
  readonly bank: string;
  readonly holderDocument: string;
  readonly agency?: string;
  readonly agencyDigit?: string;
  readonly accountNumber?: string;
  readonly accountDigit?: string;
  readonly carteira?: string;
  readonly beneficiaryCode?: string;
  readonly modality?: string;
  readonly variation?: string;
  readonly transmissionCode?: string;
  readonly fileVersion?: string;
  readonly lotVersion?: string;
};
