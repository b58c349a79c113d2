// Passkeys of the dashboard, which only a script can ask for. Everything else works without JavaScript.

/** @param {string} text @param {Element | null} note */
function tell(text, note) {
  if (!(note instanceof HTMLElement)) return;
  note.textContent = text;
  note.hidden = text === '';
}

/** @param {string} address @param {unknown} [body] */
async function send(address, body) {
  const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
  const answer = await fetch(address, {
    method: 'POST',
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.detail ?? 'The service did not answer.');
  return said;
}

const PASSKEY_ADDRESSES = {
  login: { options: '/dashboard/login/options', answer: '/dashboard/login' },
  confirm: { options: '/dashboard/confirm/options', answer: '/dashboard/confirm' },
  register: { options: '/dashboard/me/passkeys/options', answer: '/dashboard/me/passkeys' },
};

/** @param {'login' | 'confirm' | 'register'} purpose @param {string} next */
async function usePasskey(purpose, next) {
  const { options: asks, answer } = PASSKEY_ADDRESSES[purpose];
  const options = await send(asks);
  const credential =
    purpose === 'register'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('No passkey was chosen.');
  const said = await send(`${answer}?next=${encodeURIComponent(next)}`, credential.toJSON());
  location.assign(said.next);
}

document.addEventListener('click', async event => {
  const button = event.target instanceof Element ? event.target.closest('[data-passkey]') : null;
  if (!(button instanceof HTMLButtonElement)) return;
  const { passkey: purpose = '', next = '/dashboard' } = button.dataset;
  if (purpose !== 'login' && purpose !== 'confirm' && purpose !== 'register') return;
  const note = document.getElementById('passkey-note');
  if (!window.PublicKeyCredential) {
    tell(
      'Passkeys do not work in this browser or at this address. Use https, or localhost instead of an IP address.',
      note,
    );
    return;
  }
  button.disabled = true;
  tell('Follow your browser…', note);
  try {
    await usePasskey(purpose, next);
    tell('', note);
  } catch (error) {
    const isRefused = error instanceof DOMException && error.name === 'NotAllowedError';
    tell(isRefused ? 'No passkey was used.' : error instanceof Error ? error.message : String(error), note);
  } finally {
    button.disabled = false;
  }
});
