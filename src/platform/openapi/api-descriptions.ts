import type { Operation } from "../service/operations.ts";
import { docsPage } from "./docs-page.ts";
import { type DocumentOptions, openApiDocument } from "./document.ts";

/** The OpenAPI document and its page. Both are created lazily: most platforms are never asked for them. */
export class ApiDescriptions {
  readonly #operations: readonly Operation[];
  readonly #options: DocumentOptions;
  #openApi: string | undefined;
  #page: string | undefined;

  constructor(operations: readonly Operation[], options: DocumentOptions) {
    this.#operations = operations;
    this.#options = options;
  }

  /** The document as JSON. */
  get openApi(): string {
    this.#openApi ??= JSON.stringify(openApiDocument(this.#operations, this.#options));
    return this.#openApi;
  }

  /** The document as an HTML page. */
  get page(): string {
    this.#page ??= docsPage(openApiDocument(this.#operations, this.#options));
    return this.#page;
  }
}
