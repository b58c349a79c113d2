// Which text can be stored: PostgreSQL refuses U+0000, and a lone surrogate has no UTF-8 encoding.

export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
