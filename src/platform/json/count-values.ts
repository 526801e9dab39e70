const [quote, backslash, comma, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/**
 * Whether JSON has more values than `maximum`: members of objects and items of arrays, at any depth. Parsing takes time for
 * each value, much more than for each byte: 1 MB of nested arrays takes 150 ms. Text that is not JSON gets any result.
 */
export function hasMoreValues(json: Buffer, maximum: number): boolean {
  // A value has at least one byte, and one that separates it from others.
  if (json.length <= 2 * maximum) return false;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfText(json, at + 1);
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      values += 1;
      if (values > maximum) return true;
    }
  }
  return false;
}

/** @returns where the quote is that ends a text */
function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start); end >= 0; end = json.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
