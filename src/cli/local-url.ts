// The address of the service in links that a command prints.
import type { Config } from '../config/config.ts';

export function localUrl({ publicUrl, port }: Config): () => string {
  return () => publicUrl ?? `http://localhost:${port}`;
}
