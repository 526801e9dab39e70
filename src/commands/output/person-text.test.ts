import { expect, it } from "vitest";
import { shownPerson, withPerson } from "./person-text.ts";

it.each([
  [{ name: "Kate Miller", email: "kate@corp.test" }, "Kate Miller <kate@corp.test> (acme/a)"],
  [{ name: "Kate Miller", email: "" }, "Kate Miller (acme/a)"],
  [{ name: "", email: "kate@corp.test" }, "kate@corp.test (acme/a)"],
  [{ name: "", email: "" }, "acme/a"],
  [{}, "acme/a"],
  [{ name: 7, email: null }, "acme/a"],
])("shows the person %j before the identity", (returned, text) =>
  expect(withPerson(shownPerson(returned), "acme/a")).toBe(text),
);
