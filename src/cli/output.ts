// Handles a standard output whose reader goes away, as `head` does, or whose disk is full. The command still runs to its end, so that
// it stops what it started and leaves nothing half done; its exit code says that the output is incomplete.

/** What a shell reports for a process that SIGPIPE ended. */
const READER_GONE = 141;
const NOT_WRITTEN = 1;

/** Returns a function that gives the exit code of a command, once its output was written or has failed. */
export function watchOutput(): (code: number) => Promise<number> {
  const { stdout, stderr } = process;
  let fault: string | undefined;
  stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    fault ??= code;
  });
  // An error of standard error cannot be reported anywhere.
  stderr.on('error', () => {});
  return async code => {
    await new Promise<void>(resolve => stdout.write('', () => resolve()));
    if (fault === undefined || code !== 0) return code;
    if (fault === 'EPIPE') return READER_GONE;
    console.error(`Standard output could not be written (${fault}).`);
    return NOT_WRITTEN;
  };
}
