// What a person can do with a dispute: record its end, until when its money is blocked, and evidence.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_NOTE_LENGTH } from '../../api/disputes.ts';
import { DISPUTE_OUTCOMES, type DisputeOutcome } from '../../charges/disputes/dispute.ts';
import { type EvidenceType, MAX_EVIDENCE_BYTES, MAX_SHOWN_BYTES } from '../../charges/disputes/evidence.ts';
import { requireDispute } from '../../charges/disputes/require.ts';
import { html } from '../html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { CAUSES, untilOf } from './disputes.ts';
import { linesIn, minuteIn, textField } from './form.ts';
import { reais } from './formats.ts';
import { facts, idLink } from './parts.ts';

const OUTCOMES: Readonly<Record<DisputeOutcome, string>> = {
  won: 'won: the money stays here',
  lost: 'lost: the money goes back',
  accepted: 'accepted: the money goes back, and we agree',
};

const FILE_TYPES: Readonly<Record<string, EvidenceType>> = {
  txt: 'text/plain',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};

const section = 'disputes';

export function disputeActs(app: FastifyInstance, deps: ActDeps): void {
  const pageOf = ({ id = '' }: Params) => `/dashboard/disputes/${id}`;
  const apiOf = ({ id = '' }: Params) => `/disputes/${encodeURIComponent(id)}`;
  const find = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireDispute(deps.db, id.toLowerCase(), caller?.accountId);

  const disputeLine = async (request: FastifyRequest, params: Params) => {
    const { amountCents, cause } = await find(request, params);
    return html`<p>${reais(amountCents)}, ${CAUSES[cause]}.</p>`;
  };

  defineAct(app, deps, {
    url: '/disputes/:id/close',
    section,
    ask: async (request, params) => {
      const dispute = await find(request, params);
      return {
        title: 'Record how this dispute ended',
        text: html`<p>The bank reports the end by itself; record it here when you know it before, for example from its e-mail. No money moves by this, and the bank does not learn of it. If the bank then reports another end, that counts.</p>${facts(
          [
            ['Blocked', reais(dispute.amountCents)],
            ['Cause', CAUSES[dispute.cause]],
            ['Charge', idLink(`/dashboard/charges/${dispute.chargeId}`, dispute.chargeId)],
          ],
        )}`,
        fields: [
          {
            ...{ name: 'outcome', label: 'It was', type: 'select' },
            options: DISPUTE_OUTCOMES.map(value => ({ value, label: OUTCOMES[value] })),
          },
          { name: 'reason', label: 'Reason', type: 'textarea', maxLength: MAX_NOTE_LENGTH, isRequired: true },
        ],
        button: 'Record the end',
        back: pageOf(params),
      };
    },
    call: (fields, params) => ({
      method: 'POST',
      url: `${apiOf(params)}/close`,
      body: { outcome: textField(fields, 'outcome'), reason: linesIn(fields, 'reason') },
    }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/disputes/:id/change',
    section,
    ask: async (request, params) => {
      const dispute = await find(request, params);
      const { blockedUntil, note = '', status } = dispute;
      const now = deps.clock.now();
      const until = blockedUntil ? minuteOf(blockedUntil) : '';
      return {
        title: 'What is known of this dispute',
        text: html`<p>Banks do not report until when they block the money: record it when you know it. An emptied field is removed.</p>${facts([['Blocked until', status === 'open' && untilOf(dispute, now)]])}`,
        fields: [
          ...(status === 'open'
            ? [
                {
                  ...({ name: 'blockedUntil', label: 'Blocked until', type: 'datetime-local' } as const),
                  value: until,
                },
                { name: 'shownUntil', label: 'Shown', type: 'hidden', value: until } as const,
              ]
            : []),
          { name: 'note', label: 'Note', type: 'textarea', value: note, maxLength: MAX_NOTE_LENGTH },
        ],
        button: 'Save',
        back: pageOf(params),
      };
    },
    call: (fields, params) => ({
      method: 'PATCH',
      url: apiOf(params),
      body: {
        // An estimate stays one unless the person has changed it. The form of a closed dispute does not have it.
        ...(textField(fields, 'blockedUntil') !== textField(fields, 'shownUntil') && {
          blockedUntil: minuteIn(fields, 'blockedUntil') ?? null,
        }),
        note: linesIn(fields, 'note') || null,
      },
    }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/disputes/:id/evidence',
    section,
    ask: async (request, params) => ({
      title: 'Write evidence',
      text: html`${await disputeLine(request, params)}<p>It is kept here with the dispute, and not sent to the bank. It is erased with the data of the payer.</p>`,
      fields: [{ name: 'text', label: 'Text', type: 'textarea', maxLength: MAX_SHOWN_BYTES, isRequired: true }],
      button: 'Keep the text',
      back: pageOf(params),
    }),
    call: (fields, params) => ({
      method: 'POST',
      url: `${apiOf(params)}/evidence`,
      file: { type: 'text/plain', bytes: Buffer.from(linesIn(fields, 'text')) },
    }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/disputes/:id/upload',
    section,
    maxFileBytes: MAX_EVIDENCE_BYTES,
    ask: async (request, params) => ({
      title: 'Upload evidence',
      text: html`${await disputeLine(request, params)}<p>A PDF, a picture (PNG, JPEG, WebP) or a text of at most 1 MiB. It is kept here with the dispute, and not sent to the bank. It is erased with the data of the payer.</p>`,
      fields: [{ name: 'file', label: 'File', type: 'file', isRequired: true }],
      button: 'Keep the file',
      back: pageOf(params),
    }),
    call: async (fields, params) => {
      const file = fields.get('file');
      const isFile = file instanceof File;
      const [ending = ''] = /[^.]*$/.exec(isFile ? file.name.toLowerCase() : '') ?? [];
      const name = isFile && file.name !== '' ? `?${new URLSearchParams({ name: file.name })}` : '';
      return {
        method: 'POST',
        url: `${apiOf(params)}/evidence${name}`,
        file: {
          type: FILE_TYPES[ending] ?? 'application/pdf',
          bytes: isFile ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0),
        },
      };
    },
    done: (_, params) => pageOf(params),
  });
}

/** A moment as the value of a field, in São Paulo. The Swedish form begins with `2026-12-18 09:30`. */
function minuteOf(at: Date): string {
  const text = at.toLocaleString('sv-SE', { timeZone: 'America/Sao_Paulo' });
  return text.slice(0, 'YYYY-MM-DD HH:mm'.length).replace(' ', 'T');
}
