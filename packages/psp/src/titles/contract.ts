// A client's contract with the bank about boletos.

export type TitleContract = {
  /** «Número do cliente» or «conta corrente», by which the API names the contract. */
  readonly number: number;
  /** «Cooperativa» or branch, four digits. */
  readonly branch: string;
  readonly account: number;
};

export const DEFAULT_CONTRACT: TitleContract = { number: 42971, branch: '4327', account: 36668 };
