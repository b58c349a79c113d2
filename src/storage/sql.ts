// How a statement is put, on the pool or inside of a transaction.
export type Row = Record<string, unknown>;

/** Something that runs a statement: the pool, or one open transaction. */
export type Sql = {
  /**
   * A statement with a name is prepared once a connection, which pays for large inserts; a name has one text. One that looks
   * for rows had better be planned each time, as long as its table may be small one day and large the next.
   */
  query<R extends Row = Row>(
    text: string,
    values?: readonly unknown[],
    options?: { readonly name?: string },
  ): Promise<R[]>;
  /** Inside a transaction: calls the listeners of this process when it has committed. Only a hint: the others poll. */
  readonly notify?: (channel: string) => void;
};

export type TransactionOptions = {
  /** Whether it may take as long as a migration does. */
  readonly isLong?: boolean;
  /** How long a statement may take, where that is more than usual and less than a migration takes. */
  readonly statementLimitMs?: number;
  /** Whether all that it reads is as it was at one moment. */
  readonly isSnapshot?: boolean;
  /** How long a statement waits for a lock of another transaction before it fails; without it, as long as it may take. */
  readonly lockTimeoutMs?: number | undefined;
};
