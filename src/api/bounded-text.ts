/**
 * `text` without lone surrogates, cut to at most `limit` UTF-16 code units without splitting a character. The API server
 * stores such a text unchanged: it counts code points, of which there are at most as many, and it would replace half of a
 * surrogate pair, so that the text would never equal the one that was written.
 */
export function boundedText(text: string, limit: number): string {
  const isSplit = isHighSurrogate(text.charCodeAt(limit - 1)) && isLowSurrogate(text.charCodeAt(limit));
  return text.slice(0, isSplit ? limit - 1 : limit).toWellFormed();
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
