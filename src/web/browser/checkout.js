// Copying, sharing, printing and the countdown of a checkout. Paying works without it.

/** @param {string} id */
const textOf = id => document.getElementById('texts')?.getAttribute(`data-${id}`) ?? '';

/** @param {Element} button */
async function copyFrom(button) {
  const id = button.getAttribute('data-copy') ?? '';
  const field = document.getElementById(id);
  if (!(field instanceof HTMLTextAreaElement)) return;
  const status = document.querySelector(`[data-status="${id}"]`);
  try {
    await navigator.clipboard.writeText(button.getAttribute('data-text') ?? field.value);
    if (status) status.textContent = textOf('copied');
  } catch {
    // Plain http has no clipboard.
    field.focus();
    field.select();
    if (status) status.textContent = textOf('select');
  }
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (button?.hasAttribute('data-copy')) copyFrom(button);
  else if (button?.id === 'print') print();
  else if (button?.id === 'share') navigator.share({ title: document.title, url: location.href }).catch(() => {});
});

/** Counts from the seconds that the server sent: the clock of a phone may be wrong. */
function countDown() {
  const counter = document.querySelector('[data-left-ms]');
  if (!(counter instanceof HTMLElement)) return;
  const endsAt = performance.now() + Number(counter.getAttribute('data-left-ms'));
  const digits = counter.querySelector('b');
  const tick = () => {
    if (!counter.isConnected || !digits) return;
    const seconds = Math.max(0, Math.round((endsAt - performance.now()) / 1000));
    digits.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    counter.hidden = false;
    if (seconds > 0) setTimeout(tick, 1000);
  };
  tick();
}

if ('share' in navigator) document.getElementById('share')?.removeAttribute('hidden');
document.addEventListener('live', countDown);
countDown();
