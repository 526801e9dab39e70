import { create, type DescMessage, fromBinary, type Message, type MessageShape } from "@bufbuild/protobuf";
import { readyJson } from "../json/ready-json.ts";
import { toJsonObject } from "../json/write-json.ts";

/** The items of a list, as they are stored. */
interface StoredItems {
  /** The name of the list's field. */
  readonly name: string;
  readonly schema: DescMessage;
  readonly items: readonly Uint8Array[];
}

const storedItems = new WeakMap<Message, StoredItems>();

/**
 * A List response whose items are shown as they are stored. Its messages are parsed when they are read for the first time: gRPC needs
 * them, and REST only their JSON (`storedListJson`).
 * @param others the fields of the response apart from its items
 */
export function storedList<D extends DescMessage>(
  desc: D,
  items: readonly Uint8Array[],
  others: object,
): MessageShape<D> {
  const field = desc.fields.find(({ fieldKind }) => fieldKind === "list");
  if (field?.message === undefined) throw new Error(`${desc.typeName} is not a list of messages`);
  const { localName: name, message: schema } = field;
  const list = create(desc, others as never);
  let messages: Message[] | undefined;
  Object.defineProperty(list, name, {
    enumerable: true,
    get: () => (messages ??= items.map((item) => fromBinary(schema, item))),
  });
  storedItems.set(list, { name, schema, items });
  return list;
}

/** The JSON of a list from `storedList`, as `toJsonObject` writes it; undefined for any other message. */
export function storedListJson(desc: DescMessage, list: Message): string | undefined {
  const stored = storedItems.get(list);
  if (stored === undefined) return undefined;
  const { name, schema, items } = stored;
  const withoutItems = JSON.stringify(toJsonObject(desc, Object.create(list, { [name]: { value: [] } }) as Message));
  const start = `{${JSON.stringify(desc.field[name]?.jsonName)}:[`;
  if (!withoutItems.startsWith(start)) throw new Error(`the items of ${desc.typeName} are not its first field`);
  return `${start}${items.map((item) => readyJson(schema, item)).join(",")}${withoutItems.slice(start.length)}`;
}
