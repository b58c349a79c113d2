// Transactions that are sent whole: every statement and the end of them in one write, answered in one read. The protocol makes
// one transaction of all that is said before a Sync, and undoes all of it when one statement fails:
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
import pg from 'pg';
import { asParameter } from './array-literal.ts';

export type Statement = { readonly text: string; readonly values: readonly unknown[]; readonly name?: string };
export type Rows = readonly pg.QueryResultRow[];

/** Not all could be written that had to be, so nothing was: what the function `all_written` says in the database. */
export class NotAllWritten extends Error {
  /** The ids of those that could not. */
  readonly missing: ReadonlySet<string>;
  constructor(missing: readonly string[], cause: Error) {
    super('not all of them can be written', { cause });
    this.missing = new Set(missing);
  }
}

const NOT_ALL_WRITTEN = 'TR001';

/** Runs statements as one transaction on a connection, behind what was said on it before. Returns the rows of each. */
export function runTogether(client: pg.ClientBase, statements: readonly Statement[]): Promise<readonly Rows[]> {
  return new Promise((resolve, reject) => {
    const together = new Together(statements, (error, results) => {
      if (error) reject(isNotAllWritten(error) ? new NotAllWritten(JSON.parse(error.detail!), error) : error);
      else resolve([results].flat().map(result => result!.rows));
    });
    client.query(together);
  });
}

function isNotAllWritten(error: Error): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === NOT_ALL_WRITTEN;
}

type Results = pg.QueryResult | pg.QueryResult[];
type Callback = (error?: Error, results?: Results) => void;

/** What the driver's own class has, and its types do not tell. */
type DriverQuery = {
  name: string | undefined;
  text: string;
  submit(connection: pg.Connection): Error | null;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
};
type QueryClass = new (config: object) => DriverQuery;
const DriverQuery = pg.Query as unknown as QueryClass;

/** To the driver one query with a result for each statement. */
export class Together extends DriverQuery {
  readonly statements: readonly Statement[];
  #answered = 0;

  constructor(statements: readonly Statement[], callback: Callback) {
    super({ text: '', callback });
    this.statements = statements;
    this.#turn();
  }

  /** The driver notes what a session has prepared by the name and text of whom it is answering. */
  #turn(): void {
    const statement = this.statements[this.#answered];
    this.name = statement?.name;
    this.text = statement?.text ?? '';
  }

  override submit(connection: pg.Connection): Error | null {
    // Each is sent as the driver would send it alone, but for its Sync.
    const unended: pg.Connection = Object.create(connection, { sync: { value: () => {} } });
    const faults: Error[] = [];
    const callback: Callback = error => faults.push(...(error ? [error] : []));
    connection.stream.cork();
    try {
      for (const { values, ...statement } of this.statements) {
        const query = new DriverQuery({
          ...statement,
          values: values.map(asParameter),
          queryMode: 'extended',
          callback,
        });
        const refusal = query.submit(unended);
        if (refusal) faults.push(refusal);
      }
    } catch (error) {
      faults.push(error as Error);
    }
    // Ended without one of its statements it would be carried out without it.
    if (faults.length > 0) connection.stream.destroy();
    else connection.sync();
    connection.stream.uncork();
    return faults[0] ?? null;
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    super.handleCommandComplete(message, connection);
    this.#answered++;
    this.#turn();
  }

  override handleError(error: Error, connection: pg.Connection): void {
    // What came after the one that failed was not heard, and so not prepared.
    const { submittedNamedStatements } = connection as Session;
    for (const { name } of this.statements.slice(this.#answered)) {
      if (name !== undefined) delete submittedNamedStatements[name];
    }
    super.handleError(error, connection);
  }
}

type Session = pg.Connection & { readonly submittedNamedStatements: Record<string, string> };
