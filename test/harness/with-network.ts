// The project with one more EVM network: its modules are loaded again, and the list of EVM networks has one line more, as a contributor
// would write it. What other tests have loaded is untouched.
import { registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const OWN = ['src', 'test'].map(folder => `${pathToFileURL(path.join(import.meta.dirname, '../..', folder)).href}/`);
const LIST = '/src/chains/evm/networks/list.ts';

export type WithNetwork = {
  /** Loads a file of the harness, by its name, in the project with the network. */
  load(name: string): Promise<unknown>;
  end(): void;
};

/** `file` is the URL of a file that exports the network by its id. */
export function withNetwork(id: string, file: string): WithNetwork {
  // It ends as the file does, by which threads know how theirs ends.
  const mark = `?with=${id}.ts`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context);
      const isMarked = context.parentURL?.endsWith(mark) && OWN.some(folder => found.url.startsWith(folder));
      return isMarked && !found.url.includes('?') ? { ...found, url: found.url + mark } : found;
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith(LIST + mark)) return loaded;
      const text = String(loaded.source).replace('EVM_NETWORKS = [', `EVM_NETWORKS = [${id}, `);
      return { ...loaded, source: `import { ${id} } from '${file}';\n${text}` };
    },
  });
  return {
    load: name => import(new URL(`./${name}${mark}`, import.meta.url).href),
    end: () => hooks.deregister(),
  };
}
