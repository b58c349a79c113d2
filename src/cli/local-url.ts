// Where a command says that the service is, in links that it makes.
import type { Config } from '../config/config.ts';

export function localUrl({ publicUrl, port }: Config): () => string {
  return () => publicUrl ?? `http://localhost:${port}`;
}
