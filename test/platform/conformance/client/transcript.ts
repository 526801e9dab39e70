import type { CollectionName } from "./collections.ts";

/** Longer requests and responses are cut to this number of characters. */
const maxLength = 2_000;

/** One call as text. */
interface Exchange {
  readonly request: string;
  readonly response: string;
}

/** The calls of one case, with secrets redacted, for the report of a failure. Also records what the case created. */
export class Transcript {
  readonly #secrets: ReadonlySet<string>;
  readonly #exchanges: Exchange[] = [];
  /** The collections in which the case called Create. */
  readonly created = new Set<CollectionName>();

  /** @param secrets texts to redact; later additions to the set count */
  constructor(secrets: ReadonlySet<string>) {
    this.#secrets = secrets;
  }

  add(request: string, response: string): void {
    this.#exchanges.push({ request: this.#clean(request), response: this.#clean(response) });
  }

  /** The last exchanges, oldest first. */
  last(count: number): readonly Exchange[] {
    return this.#exchanges.slice(-count);
  }

  #clean(text: string): string {
    const clean = redacted(text, this.#secrets);
    return clean.length > maxLength ? `${clean.slice(0, maxLength)}… (${clean.length} characters)` : clean;
  }
}

/** Replaces the given secrets, and every token, client secret and invite code, by a placeholder. */
export function redacted(text: string, secrets: ReadonlySet<string>): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "[secret]");
  return clean
    .replaceAll(/eyJ[\w-]+\.[\w-]*\.?[\w-]*/g, "[token]")
    .replaceAll(
      /("?\b(?:token|refreshToken|clientSecret|code|(?:access|refresh)_token|(?:device|user)_code)"?\s*:\s*)(["'])[^"']+\2/g,
      "$1$2[secret]$2",
    )
    .replaceAll(/\b((?:form|refresh)_token|token|(?:device|user)_code|code)=[^&\s"']{8,}/g, "$1=[secret]");
}
