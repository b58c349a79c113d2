// Tables of transitions that say when each happens, and whether the norm says so. Pure.

type Next<Status extends string> = {
  readonly to: Status;
  readonly when: string;
  /** The norm has no diagram: concluded from its codes and from what PSPs publish. */
  readonly derived?: true;
};
export type Transitions<Status extends string> = Readonly<Record<Status, readonly Next<Status>[]>>;

export function isFinal<Status extends string>(table: Transitions<Status>, status: Status): boolean {
  return table[status].length === 0;
}

/** Whether a look may find `to` after `from`: the states between may have been missed. False of the state itself. */
export function canReach<Status extends string>(table: Transitions<Status>, from: Status, to: Status): boolean {
  return table[from].some(next => next.to === to || canReach(table, next.to, to));
}
