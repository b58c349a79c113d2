// The interface of a server, such as a bank's SFTP server, through which files are exchanged with a bank.

/** A server with one folder for files to the bank and one for files from it. */
export type FileServer = {
  /** How often it is connected to. */
  readonly everyMs: number;
  /** The times of day, such as `09:30`, at which waiting instructions go into a file; absent: with each connection to the server. */
  readonly sendAt?: readonly string[];
  /** Throws `rail_unavailable` when it does not answer, and `not_configured` with the name of the setting that is wrong. */
  connect(): Promise<FileConnection>;
};

export type RemoteFile = { readonly name: string; readonly bytes: number; readonly modifiedAt: Date };

export type FileToPut = { readonly name: string; readonly digest: string; readonly parts: AsyncIterable<Buffer> };

/** Its calls throw as `connect` does. */
export type FileConnection = {
  /** Checks that both folders exist and can be read. */
  check(): Promise<void>;
  /**
   * Uploads a file, completely or not at all; the same file again changes nothing. Refuses a name that another file has. Uploads nothing
   * when the signal is aborted before the file gets its name.
   */
  put(file: FileToPut, signal: AbortSignal): Promise<void>;
  /** The files from the bank, the oldest first. */
  list(): Promise<readonly RemoteFile[]>;
  /** Undefined when it is larger than any return file. */
  fetch(file: RemoteFile): Promise<Buffer | undefined>;
  close(): Promise<void>;
};
