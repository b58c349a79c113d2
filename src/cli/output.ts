// Standard output of a command whose reader goes away, as `head` does, or whose disk is full. The command still runs to its end, so
// that it stops what it started and leaves nothing half done; its exit code says that not all was read.

/** What a shell gives to a process that SIGPIPE ended, as other tools are. */
const READER_GONE = 141;
const NOT_WRITTEN = 1;

/** Returns what gives a command's exit code, once all that it said was written or not. */
export function watchOutput(): (code: number) => Promise<number> {
  const { stdout, stderr } = process;
  let fault: string | undefined;
  stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    fault ??= code;
  });
  // There is no other place to report it.
  stderr.on('error', () => {});
  return async code => {
    await new Promise<void>(resolve => stdout.write('', () => resolve()));
    if (fault === undefined || code !== 0) return code;
    if (fault === 'EPIPE') return READER_GONE;
    console.error(`Standard output could not be written (${fault}).`);
    return NOT_WRITTEN;
  };
}
