import { hash } from "node:crypto";

/** Together with the suffix, a name fits into a label (63 characters), and a path of 64 levels into 4,096. */
const maxStem = 40;
const suffixDigits = 10;
const handedOut = /^[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{10}$/;

/**
 * Hands out names of Kubernetes objects: lowercase letters, digits and `-`, at most 63 characters, so that they are also safe as the
 * names of files and folders, whether or not the file system distinguishes the case.
 *
 * A name ends with digits that follow from `key`, which does not change: what is added later never changes a name. What an earlier
 * import named keeps its name, whatever people call it since.
 */
export class ObjectNames {
  readonly #taken = new Set<string>();
  /** By their digits. */
  readonly #earlier: ReadonlyMap<string, string>;

  /** @param earlier the names that an earlier import handed out; others are ignored */
  constructor(earlier: readonly string[] = []) {
    const valid = earlier.filter((name) => name.length <= maxStem + 1 + suffixDigits && handedOut.test(name));
    this.#earlier = new Map(valid.map((name) => [name.slice(-suffixDigits), name]));
  }

  /**
   * @param text what people call the resource; any text
   * @param fallback a valid name, for a text without any letter or digit
   * @param key what identifies the resource among all others, such as its uid
   */
  nameOf(text: string, fallback: string, key: string): string {
    const digits = hash("sha256", key, "hex");
    const earlier = this.#earlier.get(digits.slice(0, suffixDigits));
    const stem = earlier?.slice(0, -1 - suffixDigits) ?? (stemOf(text) || fallback);
    for (let length = suffixDigits; ; length += 2) {
      const name = `${stem}-${digits.slice(0, length)}`;
      if (this.#taken.has(name) && length < 2 * suffixDigits) continue;
      this.#taken.add(name);
      return name;
    }
  }
}

/** The letters and digits of a text, with `-` for everything between them. Empty if there are none. */
export function stemOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, maxStem)
    .replace(/-$/, "");
}
