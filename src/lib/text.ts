// Which text can be stored: PostgreSQL refuses U+0000, and a lone surrogate has no UTF-8 encoding.

export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** An id with only one spelling: NFC, no blanks at the ends, no control or format characters. */
export function isPlainId(id: string): boolean {
  return id.trim() === id && id.normalize('NFC') === id && !/[\p{Cc}\p{Cf}]/u.test(id);
}
