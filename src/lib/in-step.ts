// Requests that come together go on in step: each piece of code runs for all of them in a row. One after another from end to
// end, each would run through far more code than the processor keeps at hand, and find none of it there when the next one comes.

/** Awaited by those that are in step: the others get as far before any goes on. */
export const asFar: Promise<void> = Promise.resolve();

/** Those that come in one turn of the event loop wait here for each other; when enough are here, they go on before it ends. */
export function meetingPlace(enough: number): () => Promise<void> {
  let next: Meeting | undefined;

  function open(): Meeting {
    const meeting = { ...Promise.withResolvers<void>(), count: 0 };
    setImmediate(() => end(meeting));
    return meeting;
  }

  function end(meeting: Meeting): void {
    if (next === meeting) next = undefined;
    meeting.resolve();
  }

  return () => {
    next ??= open();
    const meeting = next;
    if (++meeting.count === enough) end(meeting);
    return meeting.promise;
  };
}

type Meeting = { readonly promise: Promise<void>; resolve(): void; count: number };
