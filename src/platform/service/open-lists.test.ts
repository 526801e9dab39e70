import { describe, expect, it } from "vitest";
import { type Caller, notDownscoped } from "../authorization/caller.ts";
import { OpenLists } from "./open-lists.ts";

const stamp = { value: "", key: undefined };
const identity = (root: string, n: number): Caller => {
  const uid = `${root.repeat(40)}/${String(n).padStart(16, "0")}`;
  return { kind: "identity", uid, stamp, downscoping: notDownscoped, actor: undefined };
};
const admin: Caller = { kind: "admin" };

/** Opens lists until one is refused. @returns what closes them */
function fill(lists: OpenLists, callers: readonly Caller[]): (() => void)[] {
  const opened: (() => void)[] = [];
  for (const caller of callers)
    try {
      opened.push(lists.open(caller));
    } catch (error) {
      expect(error).toMatchObject({ code: 8 });
    }
  return opened;
}

describe("OpenLists", () => {
  it("leaves lists to others, however many identities of a root group hold some", () => {
    const lists = new OpenLists();
    const held = fill(
      lists,
      Array.from({ length: 640 }, (_, n) => identity("a", n % 80)),
    );
    expect(held).toHaveLength(52);
    for (const other of [identity("b", 1), identity("c", 1), admin]) lists.open(other)();
    for (const close of held) close();
    expect(
      fill(
        lists,
        Array.from({ length: 64 }, (_, n) => identity("b", n)),
      ),
    ).toHaveLength(52);
  });

  it("leaves lists to the other identities of a root group", () => {
    const lists = new OpenLists();
    expect(
      fill(
        lists,
        Array.from({ length: 64 }, () => identity("a", 1)),
      ),
    ).toHaveLength(43);
    lists.open(identity("a", 2))();
  });

  it("counts a list that is closed twice once", () => {
    const lists = new OpenLists();
    const close = lists.open(admin);
    close();
    close();
    expect(
      fill(
        lists,
        Array.from({ length: 64 }, () => admin),
      ),
    ).toHaveLength(43);
  });
});
