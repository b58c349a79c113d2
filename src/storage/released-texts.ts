// Migrations whose file changed after a release had it. A database that has the released text is brought to the present one.

type ReleasedText = {
  /** Of the text in the release. */
  readonly sha256: string;
  /** What makes a table of the released text one of the present text. */
  readonly mend: string;
};

export const RELEASED_TEXTS: ReadonlyMap<string, ReleasedText> = new Map([
  [
    // Release 0.2.0; the index got a column afterwards.
    '0003_events.sql',
    {
      sha256: 'a9a12c0b47dd1b73088ec63b21d0031fd02bce5fe3754458e479b1fc431e62e9',
      mend: `drop index webhook_deliveries_of_object;
             create index webhook_deliveries_of_object on webhook_deliveries (object_id, webhook_id, position)`,
    },
  ],
]);

export function isReleasedText(name: string, sha256: string): boolean {
  return RELEASED_TEXTS.get(name)?.sha256 === sha256;
}
