// The interface of a server, such as a bank's SFTP server, by which files go to a bank and come from it.

/** A server at which files for the bank are left and those from it are found. */
export type FileServer = {
  /** How often it is met. */
  readonly everyMs: number;
  /** The times of day, such as `09:30`, at which what waits goes into a file; absent: each time that the server is met. */
  readonly sendAt?: readonly string[];
  /** Throws `rail_unavailable` when it does not answer, and `not_configured` with the name of the setting that is wrong. */
  connect(): Promise<FileConnection>;
};

export type RemoteFile = { readonly name: string; readonly bytes: number; readonly modifiedAt: Date };

export type FileToPut = { readonly name: string; readonly digest: string; readonly parts: AsyncIterable<Buffer> };

/** Its calls throw as `connect` does. */
export type FileConnection = {
  /** That both folders are there and may be read. */
  check(): Promise<void>;
  /**
   * Leaves a file, whole or not at all; the same file again changes nothing. Refuses a name under which another file is there. Not at all when
   * the signal is aborted before the file has its name.
   */
  put(file: FileToPut, signal: AbortSignal): Promise<void>;
  /** The files from the bank, the oldest first. */
  list(): Promise<readonly RemoteFile[]>;
  /** Undefined when it is larger than any return. */
  fetch(file: RemoteFile): Promise<Buffer | undefined>;
  close(): Promise<void>;
};
