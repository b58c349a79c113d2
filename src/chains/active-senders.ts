// Which senders of the settings take new slots.
type SenderSettings = { readonly address: string; readonly isActive?: boolean };

/** The first takes slots, and so do those that are marked. */
export function activeOf([first, ...others]: readonly [SenderSettings, ...SenderSettings[]]): readonly [
  string,
  ...string[],
] {
  return [first.address, ...others.flatMap(({ address, isActive }) => (isActive ? [address] : []))];
}

/** Faults of senders that take slots under one address: its nonces would be counted twice. Each with its path. */
export function faultsOfActive(senders: readonly SenderSettings[]): string[] {
  const active = senders.map(({ address, isActive = false }, index) => (index === 0 || isActive ? address : undefined));
  return active.flatMap((address, index) => {
    const first = active.indexOf(address);
    return address === undefined || first === index
      ? []
      : [`senders[${index}] has the address of senders[${first}], and only one of them can take slots`];
  });
}
