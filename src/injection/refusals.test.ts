import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { doesNotExist, emptyLabel, identityRefusals, podRefusals } from "./refusals.ts";

const page = new URL("../../docs/how-to/pod-identity.md", import.meta.url);

it("has messages that docs/how-to/pod-identity.md explains, in its table", async () => {
  const explained = [...(await readFile(page, "utf8")).matchAll(/^\| `([^`]+)`/gm)].map(([, text = ""]) => text);
  const messages = [...identityRefusals, ...podRefusals].map(({ message }) =>
    message.filter((part) => typeof part === "string").join(" "),
  );
  for (const message of [...messages, doesNotExist.of({ namespace: "shop" }), emptyLabel])
    expect(
      explained.filter((start) => message.includes(start)),
      message,
    ).toHaveLength(1);
});
