/**
 * A text of another machine with each character that is not visible replaced by U+FFFD: control characters could move the
 * cursor of a terminal, and those that change the direction of text could make one name look like another.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu, "\ufffd");
}
