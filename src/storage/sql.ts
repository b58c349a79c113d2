// The interface for statements, on the pool or inside a transaction.
export type Row = Record<string, unknown>;

/** Something that runs a statement: the pool, or one open transaction. */
export type Sql = {
  /**
   * A statement with a name is prepared once per connection, which pays off for large inserts; a name has one text. A query is
   * better planned each time, since its table may be small one day and large the next.
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
  /** Whether it may take as long as a migration. */
  readonly isLong?: boolean;
  /** The limit of a statement, when it is longer than usual and shorter than that of a migration. */
  readonly statementLimitMs?: number;
  /** Whether it reads from one snapshot. */
  readonly isSnapshot?: boolean;
  /** How long a statement waits for a lock before it fails; without it, as long as the statement may take. */
  readonly lockTimeoutMs?: number | undefined;
};
