// People of the dashboard on the wire.
import { type Static, Type } from 'typebox';
import { ROLES } from '../accounts/roles.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const MAX_NAME_LENGTH = 100;

export const PersonBody = Type.Object(
  {
    name: Text({ description: 'Shown to the other people of the service.', maxLength: MAX_NAME_LENGTH }),
    role: OneOf(ROLES, { description: 'What the person may do; not more than the caller.' }),
    accountId: Type.Optional(
      Text({ description: 'The one account that the person works for; all of them when absent.' }),
    ),
  },
  { $id: 'NewPerson', additionalProperties: false, examples: [{ name: 'Maria', role: 'support', accountId: 'acme' }] },
);

export const RoleBody = Type.Object(
  { role: OneOf(ROLES, { description: 'What the person may do from now on; not more than the caller.' }) },
  { $id: 'NewRole', additionalProperties: false, examples: [{ role: 'support' }] },
);

const personFields = {
  id: Uuid(),
  name: Type.String(),
  role: OneOf(ROLES),
  accountId: Type.Optional(Type.String()),
  createdAt: DateTime(),
  passkeys: Type.Integer({ minimum: 0 }),
  recoveryCodes: Type.Integer({ minimum: 0, description: 'Unused codes.' }),
  lastUsedAt: Type.Optional(DateTime({ description: 'The last request of a session, to the minute.' })),
  linkExpiresAt: Type.Optional(DateTime({ description: 'Present while a login link is open.' })),
  linkRequest: Type.Optional(
    Type.Object(
      {
        askedBy: Type.String({ description: 'The requester, as in the audit log.' }),
        askedAt: DateTime(),
        expiresAt: DateTime(),
      },
      {
        additionalProperties: false,
        description: 'Present while a login link waits for the approval of a second owner.',
      },
    ),
  ),
  invitedBy: Type.String({ description: 'Who invited them, as in the audit log.' }),
  letInBy: Type.Array(Type.String(), {
    description: 'Who made, or asked for, the login links that they used, as in the audit log.',
  }),
};

export const PersonView = Type.Object(personFields, { $id: 'Person', additionalProperties: false });

export const PersonList = Type.Object(
  { people: Type.Array(Ref(PersonView)) },
  { $id: 'PersonList', additionalProperties: false },
);

const linkFields = {
  url: Type.String({ description: 'The first to open it is logged in as the person. It is shown only once.' }),
  expiresAt: DateTime(),
};

export const LoginLinkView = Type.Object(linkFields, { $id: 'LoginLink', additionalProperties: false });

export const AskedLinkView = Type.Object(
  {
    waitsForApproval: Type.Boolean({ description: '`true` where a second owner must approve the link first.' }),
    url: Type.Optional(
      Type.String({
        description:
          'The first to open it is logged in as the person. It is shown only once; absent while it waits for an approval.',
      }),
    ),
    expiresAt: DateTime({ description: 'Of the link, or of the request for it.' }),
  },
  { $id: 'AskedLoginLink', additionalProperties: false },
);

export const InvitedPerson = Type.Object(
  {
    id: Uuid(),
    name: Type.String(),
    role: OneOf(ROLES),
    accountId: Type.Optional(Type.String()),
    link: Ref(LoginLinkView),
  },
  { $id: 'InvitedPerson', additionalProperties: false },
);

export const PERSON_EXAMPLE: Static<typeof PersonView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d88',
  name: 'Maria',
  role: 'support',
  accountId: 'acme',
  createdAt: '2026-11-12T14:00:00.000Z',
  passkeys: 1,
  recoveryCodes: 10,
  lastUsedAt: '2026-11-12T15:00:00.000Z',
  invitedBy: 'operator',
  letInBy: [],
};

export const LOGIN_LINK_EXAMPLE: Static<typeof LoginLinkView> = {
  url: `https://pay.example.com/dashboard/enter/${'0'.repeat(43)}`,
  expiresAt: '2026-11-13T14:00:00.000Z',
};

export const ASKED_LINK_EXAMPLE: Static<typeof AskedLinkView> = {
  waitsForApproval: true,
  expiresAt: '2026-11-13T14:00:00.000Z',
};

export const INVITED_EXAMPLE: Static<typeof InvitedPerson> = {
  id: PERSON_EXAMPLE.id,
  name: 'Maria',
  role: 'support',
  accountId: 'acme',
  link: LOGIN_LINK_EXAMPLE,
};

export const PEOPLE_SCHEMAS = [
  PersonBody,
  RoleBody,
  PersonView,
  PersonList,
  LoginLinkView,
  AskedLinkView,
  InvitedPerson,
];
