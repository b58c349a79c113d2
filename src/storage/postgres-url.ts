// The address of a PostgreSQL server in settings.
import { kindOf } from '../lib/settings/kinds.ts';

export const postgresUrl = kindOf('a URL such as postgres://user:password@host:5432/database', given =>
  /^postgres(ql)?:\/\//.test(given) && URL.canParse(given) ? given : undefined,
);
