import { oddText, oddValue } from "./odd-values.ts";
import type { Random } from "./random.ts";

/** A copy of the value with one change: a member is replaced, removed, renamed, added or repeated. */
export function mutateValue(value: unknown, random: Random): unknown {
  if (typeof value !== "object" || value === null || random.chance(0.1)) return oddValue(random);
  if (Array.isArray(value)) {
    const items: unknown[] = [...value];
    const at = random.int(0, Math.max(0, items.length - 1));
    switch (random.int(0, 3)) {
      case 0:
        items[at] = oddValue(random);
        return items;
      case 1:
        return items.toSpliced(at, 1);
      case 2:
        return Array.from({ length: random.pick([2, 26, 501, 2_000]) }, () => items[at] ?? oddValue(random));
      default:
        items[at] = mutateValue(items[at], random);
        return items;
    }
  }
  const entries = Object.entries(value);
  const at = random.int(0, Math.max(0, entries.length - 1));
  const [name, inner] = entries[at] ?? [oddText(random), 1];
  switch (random.int(0, 5)) {
    case 0:
      entries[at] = [name, oddValue(random)];
      break;
    case 1:
      return Object.fromEntries(entries.toSpliced(at, 1));
    case 2:
      entries[at] = [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), inner];
      break;
    case 3:
      entries.push([oddText(random), oddValue(random)]);
      break;
    case 4:
      entries[at] = [name, null];
      break;
    default:
      entries[at] = [name, mutateValue(inner, random)];
  }
  return Object.fromEntries(entries);
}

/** The text of a JSON body with changed or broken syntax. */
export function mutateJsonText(json: string, random: Random): Buffer {
  const cut = random.int(0, json.length);
  switch (random.int(0, 10)) {
    case 0:
      return Buffer.from(json.slice(0, cut));
    case 1:
      return Buffer.from(json + random.pick(["}", " x", "\0", json]));
    case 2:
      // A duplicate member.
      return Buffer.from(json.replace(/^\{(("[^"]*"):)/, `{$2:${JSON.stringify(oddValue(random))},$1`));
    case 3:
      return Buffer.concat([
        Buffer.from(json.slice(0, cut)),
        random.bytes(random.int(1, 4)),
        Buffer.from(json.slice(cut)),
      ]);
    case 4:
      return Buffer.from(`\ufeff${json}`);
    case 5:
      return Buffer.from(json, "utf16le");
    case 6:
      return Buffer.from("[".repeat(random.pick([100, 10_000, 200_000])));
    case 7:
      return Buffer.from(`{"a":`.repeat(20_000));
    case 8:
      return Buffer.from(
        json.replace(
          /"([^"]*)"(?!:)/,
          random.pick(['"\\ud800"', '"\\u0000"', '"\\x"', "'a'", "1e999", "-", "01", "NaN", "1".repeat(5_000)]),
        ),
      );
    case 9:
      return Buffer.from(
        json.replace(/^\{/, `{"__proto__":${JSON.stringify(oddValue(random))}${json === "{}" ? "" : ","}`),
      );
    default:
      return flipped(Buffer.from(json), random);
  }
}

/** A copy of the bytes with one to three bits flipped. */
export function flipped(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes);
  if (changed.length === 0) return changed;
  for (let count = random.int(1, 3); count > 0; count--) {
    const at = random.int(0, changed.length - 1);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.int(0, 7));
  }
  return changed;
}
