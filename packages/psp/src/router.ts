// Finds the route of a call below the paths that a profile has.
import { ApiRefusal } from './problem.ts';
import type { Operation, Profile } from './profiles.ts';
import type { Route } from './routes/route.ts';
import { ROUTES } from './routes/table.ts';
import type { TitleApi } from './titles/routes.ts';

type Found = {
  readonly route: Pick<Route, 'scope' | 'handle' | 'isWithoutBody'>;
  readonly params: readonly string[];
};

type Router = {
  /** The path below its base, or undefined when it is below no base. */
  below(path: string): { readonly prefix: string; readonly path: string } | undefined;
  /** Refuses an unknown path and an operation that the PSP does not offer. */
  find(method: string, prefix: string, path: string): Found;
};

export function createRouter(profile: Profile, titles?: TitleApi): Router {
  const routes = new Map<string, Route>();
  const resources = new Set<string>();
  const prefixes = new Set<string>([profile.basePath]);
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.operation.split(' ');
    for (const prefix of placesOf(profile, route.operation)) {
      prefixes.add(prefix);
      resources.add(prefix + patternOf(path.slice(1).split('/')));
      if (!profile.missing.includes(route.operation)) {
        routes.set(`${method} ${prefix}${patternOf(path.slice(1).split('/'))}`, route);
      }
    }
  }
  if (titles) prefixes.add(titles.prefix);
  const longestFirst = [...prefixes].sort((a, b) => b.length - a.length);

  return {
    below: path => {
      const prefix = longestFirst.find(candidate => path.startsWith(`${candidate}/`));
      return prefix === undefined ? undefined : { prefix, path: path.slice(prefix.length) };
    },
    find: (method, prefix, path) => {
      if (prefix === titles?.prefix) return findTitleRoute(titles, method, path);
      // Efí's own client asks for the list of a resource with a slash at its end.
      const segments = path.slice(1).replace(/\/$/, '').split('/');
      const pattern = prefix + patternOf(segments);
      const route = routes.get(`${method} ${pattern}`);
      if (!route) throw new ApiRefusal(resources.has(pattern) ? 'MetodoNaoPermitido' : 'NaoEncontrado');
      return { route, params: segments.filter((_, index) => index % 2 === 1).map(decode) };
    },
  };
}

function findTitleRoute({ routes }: TitleApi, method: string, path: string): Found {
  const there = routes.flatMap(route => {
    const match = route.path.exec(path);
    return match ? { route, params: match.slice(1).map(decode) } : [];
  });
  const found = there.find(({ route }) => route.method === method);
  if (!found) throw new ApiRefusal(there.length > 0 ? 'MetodoNaoPermitido' : 'NaoEncontrado');
  return found;
}

function placesOf({ placed, basePath }: Profile, operation: Operation): readonly string[] {
  return placed.find(({ operations }) => operations.test(operation))?.under ?? [basePath];
}

/** In every path of the norm names and parameters take turns; `txid` at the end of /loc/{id}/txid is a name. */
function patternOf(segments: readonly string[]): string {
  return `/${segments.map((segment, index) => (index % 2 === 1 ? '{}' : segment)).join('/')}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiRefusal('NaoEncontrado');
  }
}
