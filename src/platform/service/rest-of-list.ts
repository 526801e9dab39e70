import { create, type DescMessage, type Message, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { Code, ApiError } from "../errors/api-error.ts";
import { sizeLimits } from "../limits/size-limits.ts";

/** The longest time in which a list may be sent (ms), that of a call. */
const longest = 60_000;

/** The part of a v1 list after the items that its message has. It is read while it is sent. */
export class RestOfList<T extends Message = Message> implements AsyncIterableIterator<readonly T[]> {
  readonly #closed: () => void;
  readonly #read: () => Promise<readonly T[]>;
  readonly #timer: NodeJS.Timeout;
  #isOpen = true;

  /**
   * @param closed is called once, when the list has been read, has failed, or took too long
   * @param read returns the next items; none at the end
   */
  constructor(closed: () => void, read: () => Promise<readonly T[]>) {
    this.#closed = closed;
    this.#read = read;
    // A response that ends before it is sent does not read the list to its end.
    this.#timer = setTimeout(() => this.#close(), longest).unref();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<readonly T[], undefined>> {
    if (!this.#isOpen) throw new Error("the list took too long to send");
    try {
      const items = await this.#read();
      if (items.length > 0) return { done: false, value: items };
    } catch (error) {
      this.#close();
      throw error;
    }
    return this.return();
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#close();
    return { done: true, value: undefined };
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#closed();
  }
}

const rests = new WeakMap<Message, RestOfList>();

/** Gives a list its rest. */
export function withRest<M extends Message>(list: M, rest: RestOfList | undefined): M {
  if (rest !== undefined) rests.set(list, rest);
  return list;
}

/** The rest of a list; undefined for a list that is complete and for any other message. */
export function restOf(message: Message): RestOfList | undefined {
  return rests.get(message);
}

/**
 * A list with all of its items, for transports that cannot stream it.
 * @throws ApiError (8) if it is larger than a page may be, which is also what clients accept
 */
export async function completed<D extends DescMessage>(desc: D, list: MessageShape<D>): Promise<MessageShape<D>> {
  const rest = restOf(list);
  if (rest === undefined) return list;
  const { items } = list as MessageShape<D> & { readonly items: Message[] };
  let bytes = toBinary(desc, list).length;
  for await (const more of rest) {
    bytes += toBinary(desc, create(desc, { items: more } as never)).length;
    if (bytes > sizeLimits.page.value)
      throw new ApiError(
        Code.resourceExhausted,
        "RESOURCE_EXHAUSTED",
        `Resource exhausted: the list has more than ${sizeLimits.page.value / 1024 / 1024} MiB; use v1 over REST, which streams it, or pages of v2beta1`,
      );
    for (const item of more) items.push(item);
  }
  return list;
}
