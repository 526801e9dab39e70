/**
 * Characters that are not visible: control characters could move the cursor of a terminal, and those that change the direction of
 * text could make one name look like another.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

/** A text of another machine with each character that is not visible replaced by U+FFFD. */
export function visibleText(text: string): string {
  return text.replace(invisible, "\ufffd");
}

/** Lines of text, in which `visibleText` leaves the line breaks. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visibleText).join("\n");
}

/**
 * A text with each character that is not visible, but for line breaks and tabs, replaced.
 * @param escape the replacement, by the code point
 */
export function escapeInvisible(text: string, escape: (codePoint: number) => string): string {
  return text.replace(invisible, (character) =>
    character === "\n" || character === "\t" ? character : escape(character.codePointAt(0) ?? 0),
  );
}
