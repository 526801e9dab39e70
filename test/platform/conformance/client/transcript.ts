import type { CollectionName } from "./collections.ts";

/** How many characters of what was sent or came are kept. */
const longest = 2_000;

/** One call, as a person would want to read it. */
interface Exchange {
  readonly sent: string;
  readonly came: string;
}

/** What a case sent and what came, without a secret, for the report of a failure; and of what it made something. */
export class Transcript {
  readonly #secrets: ReadonlySet<string>;
  readonly #exchanges: Exchange[] = [];
  /** The collections in which a Create was asked for. */
  readonly made = new Set<CollectionName>();

  /** @param secrets texts that are never kept */
  constructor(secrets: ReadonlySet<string>) {
    this.#secrets = secrets;
  }

  add(sent: string, came: string): void {
    this.#exchanges.push({ sent: this.#kept(sent), came: this.#kept(came) });
  }

  /** The last exchanges, oldest first. */
  last(count: number): readonly Exchange[] {
    return this.#exchanges.slice(-count);
  }

  #kept(text: string): string {
    const clean = redacted(text, this.#secrets);
    return clean.length > longest ? `${clean.slice(0, longest)}… (${clean.length} characters)` : clean;
  }
}

/** A text without what is known to be secret, and without tokens, client secrets and the codes of invites. */
export function redacted(text: string, secrets: ReadonlySet<string>): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, "[secret]");
  return clean
    .replaceAll(/eyJ[\w-]+\.[\w-]*\.?[\w-]*/g, "[token]")
    .replaceAll(/("?\b(?:token|refreshToken|clientSecret|code)"?\s*:\s*)(["'])[^"']+\2/g, "$1$2[secret]$2");
}
