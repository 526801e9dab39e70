import type { Operation } from "../service/operations.ts";
import { docsPage } from "./docs-page.ts";
import { type DocumentOptions, openApiDocument } from "./document.ts";

/** The descriptions of the API, each made when it is first asked for: most platforms are never asked. */
export class ApiDescriptions {
  readonly #operations: readonly Operation[];
  readonly #options: DocumentOptions;
  #openApi: string | undefined;
  #page: string | undefined;

  constructor(operations: readonly Operation[], options: DocumentOptions) {
    this.#operations = operations;
    this.#options = options;
  }

  /** JSON. */
  get openApi(): string {
    this.#openApi ??= JSON.stringify(openApiDocument(this.#operations, this.#options));
    return this.#openApi;
  }

  /** HTML. */
  get page(): string {
    this.#page ??= docsPage(openApiDocument(this.#operations, this.#options));
    return this.#page;
  }
}
