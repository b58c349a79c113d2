// Account settings, what payers see of an account, on the wire.
import { type Static, Type } from 'typebox';
import type { AccountSettings } from '../accounts/settings.ts';
import { LooseText, orNull } from './schemas.ts';

const MAX_URL_LENGTH = 2_000;
/** 32 kB in base64, and the prefix before them. */
const MAX_LOGO_LENGTH = 43_800;
const MAX_ORIGINS = 20;

const descriptions = {
  displayName: 'The name above the checkout.',
  document: 'CPF or CNPJ of the receiver, which payers compare with what their bank shows.',
  colour: 'Colour of buttons, as `#rrggbb`, with a contrast to white of at least 3 to 1.',
  returnUrl: 'The link back to the shop.',
  supportUrl: 'The contact for payers: a page, `mailto:` or `tel:`.',
  frameOrigins: 'Origins that may show a checkout in a frame.',
  offersRemainder: 'Whether the checkout of a charge that was paid in part offers to pay the rest.',
};
const Colour = Type.String({ pattern: '^#[0-9A-Fa-f]{6}$', description: descriptions.colour });
const frameOrigins = Type.Array(LooseText(), { maxItems: MAX_ORIGINS, description: descriptions.frameOrigins });

export const AccountSettingsBody = Type.Object(
  {
    displayName: orNull(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: '\\S',
        'x-storable': true,
        description: descriptions.displayName,
      }),
    ),
    document: orNull(LooseText({ maxLength: 20, description: descriptions.document })),
    colour: orNull(Colour),
    returnUrl: orNull(LooseText({ maxLength: MAX_URL_LENGTH, description: descriptions.returnUrl })),
    supportUrl: orNull(LooseText({ maxLength: MAX_URL_LENGTH, description: descriptions.supportUrl })),
    frameOrigins: Type.Optional(frameOrigins),
    offersRemainder: Type.Optional(Type.Boolean({ description: descriptions.offersRemainder })),
    logo: orNull(
      LooseText({
        maxLength: MAX_LOGO_LENGTH,
        description: 'A PNG, JPEG or WebP as a `data:` URL in base64: at most 32 kB, 1024 by 1024 pixels.',
      }),
    ),
  },
  {
    $id: 'AccountSettingsChange',
    additionalProperties: false,
    examples: [{ displayName: 'Padaria Central', colour: '#0b6b4a', supportUrl: 'mailto:ajuda@padaria.example' }],
  },
);

export const AccountSettingsView = Type.Object(
  {
    accountId: Type.String(),
    displayName: Type.Optional(Type.String({ description: descriptions.displayName })),
    document: Type.Optional(Type.String({ description: descriptions.document })),
    colour: Type.Optional(Colour),
    returnUrl: Type.Optional(Type.String({ description: descriptions.returnUrl })),
    supportUrl: Type.Optional(Type.String({ description: descriptions.supportUrl })),
    frameOrigins: Type.Array(Type.String(), { description: descriptions.frameOrigins }),
    hasLogo: Type.Boolean(),
    offersRemainder: Type.Boolean({ description: descriptions.offersRemainder }),
  },
  { $id: 'AccountSettings', additionalProperties: false },
);

export const ACCOUNT_SETTINGS_SCHEMAS = [AccountSettingsBody, AccountSettingsView];

export const ACCOUNT_SETTINGS_EXAMPLE: Static<typeof AccountSettingsView> = {
  accountId: 'acme',
  displayName: 'Padaria Central',
  colour: '#0b6b4a',
  supportUrl: 'mailto:ajuda@padaria.example',
  frameOrigins: [],
  hasLogo: false,
  offersRemainder: false,
};

/** The logo itself is only on the checkout. */
export function settingsView(accountId: string, { logo, ...settings }: AccountSettings) {
  return { accountId, ...settings, frameOrigins: [...settings.frameOrigins], hasLogo: logo !== undefined };
}
