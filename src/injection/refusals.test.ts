import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { podSchema } from "./pod.ts";
import { doesNotExist, emptyLabel, identityRefusals, podRefusals } from "./refusals.ts";

const page = new URL("../../docs/how-to/pod-identity.md", import.meta.url);

it.each([
  ["shop", undefined],
  ["other", " is for the service account "],
])("compares the service account of a pod with that of its Identity: %s", (serviceAccountName, refusal) => {
  const identity = {
    metadata: { name: "shop" },
    spec: { serviceAccountRef: { name: "shop" } },
    status: { uid: "u", exchange: { audience: "a" } },
  } as never;
  const candidate = {
    pod: podSchema.parse({ spec: { serviceAccountName, containers: [{ name: "app" }] } }),
    namespace: "team",
    identity,
  };
  expect(identityRefusals.find(({ holds }) => holds(candidate))?.message[0]).toBe(refusal);
});

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
