// Keeps an open page up to date. Only the server renders: on a change, on return to the page and when the network is back, the page
// fetches its own address and swaps the parts marked `data-live`. `<meta name="live">` names a stream that sends a line on every
// change. Tabs share a stream, since a browser opens only six connections to a host over HTTP/1.1.

const POLL_MS = 5_000;
/** The wait before a retry, after a fetch that failed. */
const AGAIN_MS = 3_000;
/** With an open stream, polling is only a safety net. */
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
  // Nested parts are compared separately.
  for (const inner of copy.querySelectorAll('[data-live]')) inner.replaceWith(inner.getAttribute('data-live') ?? '');
  return copy.outerHTML;
}

/** @param {Document} fresh */
function swap(fresh) {
  const focused = document.activeElement?.id;
  let changed = false;
  // Opened details stay open.
  for (const opened of document.querySelectorAll('details[id]')) {
    fresh.getElementById(opened.id)?.toggleAttribute('open', opened.hasAttribute('open'));
  }
  // A copy status stays too: otherwise its part would differ and be swapped, and a selected text would lose its selection.
  for (const status of document.querySelectorAll('[data-status]')) {
    fresh.querySelector(`[data-status="${status.getAttribute('data-status')}"]`)?.append(status.textContent ?? '');
  }
  for (const part of document.querySelectorAll('[data-live]')) {
    const other = fresh.querySelector(`[data-live="${part.getAttribute('data-live')}"]`);
    if (!other || markupOf(other) === markupOf(part)) continue;
    // A live region of a screen reader must stay the same element; only its content changes.
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
    // The header says that no person asked: an open page must not keep a session alive.
    const headers = { accept: 'text/html', 'x-trilho-refresh': '1' };
    const answer = await fetch(location.href, { cache: 'no-store', signal, headers });
    // A withdrawn link, an ended session: the whole page changes.
    if (answer.redirected || answer.status === 404) return location.reload();
    if (answer.ok) {
      const fresh = parse(await answer.text());
      stream = streamOf(fresh);
      swap(fresh);
      isTrue = true;
    }
  } catch {
    // No network; the next poll, or the network's return, retries.
  } finally {
    isFetching = false;
  }
  // A reconnected stream sends the same version again; after a failed fetch it must not count as seen.
  if (!isTrue) version = '';
  if (mustFetchAgain) return refresh();
  if (isTrue) pollLater();
  else pollLater(AGAIN_MS);
}

function pollLater(waitMs = isStreaming ? POLL_WITH_STREAM_MS : POLL_MS) {
  clearTimeout(timer);
  // A page without a stream will not change any more.
  if (stream === '') return;
  timer = setTimeout(() => (document.hidden ? pollLater() : refresh()), waitMs);
}

/** Resolves when the page needs no stream any more. */
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

/** The last version that the stream sent; a reconnect sends the same one again. */
let version = document.querySelector('meta[name="live"]')?.getAttribute('data-version') ?? '';

/** @param {string} latest */
function changed(latest) {
  if (latest === version) return;
  version = latest;
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
