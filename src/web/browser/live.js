// Keeps an open page true. The server alone renders: on a change, on return to the page and when the network is back it fetches
// its own address and swaps the parts marked `data-live`. `<meta name="live">` names a stream that sends a line on every change.
// Tabs of one stream share it, since a browser opens six connections to a host over HTTP/1.1.

const POLL_MS = 5_000;
/** After a look that failed, though the page was told to look. */
const AGAIN_MS = 3_000;
/** With an open stream a poll is only the floor under it. */
const POLL_WITH_STREAM_MS = 30_000;
const FETCH_TIMEOUT_MS = 10_000;

// The only sink for markup on our pages. Scripts in a parsed document do not run. TypeScript does not know trusted types.
const { trustedTypes } = /** @type {any} */ (window);
const policy = trustedTypes?.createPolicy('trilho', { createHTML: (/** @type {string} */ text) => text });

/** @param {string} text */
function parse(text) {
  return new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html');
}

/** @param {Document} page */
const streamOf = page => page.querySelector('meta[name="live"]')?.getAttribute('content') ?? '';

/** @param {Element} part */
function markupOf(part) {
  const copy = /** @type {Element} */ (part.cloneNode(true));
  // Parts inside of it are compared by themselves.
  for (const inner of copy.querySelectorAll('[data-live]')) inner.replaceWith(inner.getAttribute('data-live') ?? '');
  return copy.outerHTML;
}

/** @param {Document} fresh */
function swap(fresh) {
  const focused = document.activeElement?.id;
  let changed = false;
  // What the reader has opened stays open.
  for (const opened of document.querySelectorAll('details[id]')) {
    fresh.getElementById(opened.id)?.toggleAttribute('open', opened.hasAttribute('open'));
  }
  // So does what a button has answered: else a text that it selected would be swapped, and no longer be selected.
  for (const told of document.querySelectorAll('[data-told]')) {
    fresh.querySelector(`[data-told="${told.getAttribute('data-told')}"]`)?.append(told.textContent ?? '');
  }
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = fresh.querySelector(`[data-live="${part.getAttribute('data-live')}"]`);
    if (!other || markupOf(other) === markupOf(part)) continue;
    // A region that is read aloud must stay the same element; only its words change.
    if (part.hasAttribute('role'))
      part.replaceChildren(...[...other.childNodes].map(node => document.importNode(node, true)));
    else part.replaceWith(document.importNode(other, true));
    changed = true;
  }
  if (!changed) return;
  document.title = fresh.title;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  document.dispatchEvent(new Event('live'));
}

let stream = streamOf(document);
let isStreaming = false;
let isFetching = false;
let mustFetchAgain = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

async function refresh() {
  mustFetchAgain = isFetching;
  if (isFetching) return;
  isFetching = true;
  let isTrue = false;
  try {
    const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
    // A page that stands open is no use of a session: the mark says that no person asked.
    const headers = { accept: 'text/html', 'x-trilho-refresh': '1' };
    const answer = await fetch(location.href, { cache: 'no-store', signal, headers });
    // A link that was withdrawn, a session that has ended: the whole page is another.
    if (answer.redirected || answer.status === 404) return location.reload();
    if (answer.ok) {
      const fresh = parse(await answer.text());
      stream = streamOf(fresh);
      swap(fresh);
      isTrue = true;
    }
  } catch {
    // The network is gone; the next poll, or its return, tries again.
  } finally {
    isFetching = false;
  }
  // A stream that comes back tells the same version again: it must not pass for seen.
  if (!isTrue) version = '';
  if (mustFetchAgain) return refresh();
  if (isTrue) pollLater();
  else pollLater(AGAIN_MS);
}

function pollLater(waitMs = isStreaming ? POLL_WITH_STREAM_MS : POLL_MS) {
  clearTimeout(timer);
  // A page without a stream says of itself that it changes no more.
  if (stream === '') return;
  timer = setTimeout(() => (document.hidden ? pollLater() : refresh()), waitMs);
}

/** Goes on until the page needs no stream any more, or is left. */
function openStream() {
  const source = new EventSource(stream);
  const channel = new BroadcastChannel(stream);
  return new Promise(resolve => {
    const end = () => {
      source.close();
      channel.close();
      isStreaming = false;
      pollLater();
      resolve(undefined);
    };
    source.addEventListener('open', () => {
      isStreaming = true;
    });
    source.addEventListener('message', ({ data }) => {
      channel.postMessage(data);
      changed(data);
    });
    // A browser reconnects by itself, unless the server refused: then the page polls.
    source.addEventListener('error', () => {
      isStreaming = false;
      if (source.readyState === EventSource.CLOSED) end();
      else pollLater();
    });
    document.addEventListener('live', () => stream === '' && end());
  });
}

/** The last version that the page was told of; a reconnect tells the same one again. */
let version = document.querySelector('meta[name="live"]')?.getAttribute('data-version') ?? '';

/** @param {string} told */
function changed(told) {
  if (told === version) return;
  version = told;
  refresh();
}

function back() {
  if (!document.hidden) refresh();
}

if (stream !== '') {
  const channel = new BroadcastChannel(stream);
  channel.addEventListener('message', ({ data }) => changed(data));
  // The tab that holds the lock has the stream; the next one in line takes over when it is closed. Plain http has no locks, and
  // in a frame of another site a browser may refuse them.
  if (navigator.locks) navigator.locks.request(`stream ${stream}`, openStream).catch(openStream);
  else openStream();
}
document.addEventListener('visibilitychange', back);
addEventListener('online', back);
addEventListener('pageshow', event => event.persisted && back());
pollLater();
