import { resourceExhausted } from "../errors/api-error.ts";

/** The most lists that are sent at a time, together and to one caller. Each has some of its resources in memory. */
const maximum = { together: 64, ofCaller: 8 };

/** The v1 lists whose rest is being sent, on this replica. */
export class OpenLists {
  readonly #ofCallers = new Map<string, number>();
  #together = 0;

  /**
   * Counts a list until the returned function is called, which has to be called once.
   * @param caller the callers that share a limit
   * @throws ApiError (8) if too many lists are being sent
   */
  open(caller: string): () => void {
    const ofCaller = this.#ofCallers.get(caller) ?? 0;
    if (this.#together >= maximum.together || ofCaller >= maximum.ofCaller)
      throw resourceExhausted("too many large lists are being sent; retry later, or use pages of v2beta1", 1);
    this.#together += 1;
    this.#ofCallers.set(caller, ofCaller + 1);
    return () => this.#close(caller);
  }

  #close(caller: string): void {
    this.#together -= 1;
    const others = (this.#ofCallers.get(caller) ?? 1) - 1;
    if (others === 0) this.#ofCallers.delete(caller);
    else this.#ofCallers.set(caller, others);
  }
}
