import { expect, it } from "vitest";
import { readSettings } from "#src/commands/settings/settings.ts";
import { operatorSettings } from "./settings.ts";

const root = "a".repeat(40);
const required = [
  "--platform-url",
  "https://platform.example",
  "--identity",
  `${root}/0000000000000001`,
  "--root-group",
  root,
  "--allowed-role",
  "viewer",
];

it.each([
  ["--root-group", `${root},${"b".repeat(40)}`],
  ["--allowed-role", "viewer,editor"],
  ["--allowed-namespace", "team,shop"],
  ["--public-issuer", "https://a.example,https://b.example"],
  ["--previous-owner-id", "east,west"],
])("rejects a list in one %s", (flag, list) => {
  expect(() => readSettings(operatorSettings, [...required, flag, list], {})).toThrow(`${flag}: "${list}" is not`);
});

it("accepts a list in a variable, or a repeated flag", () => {
  const environment = { MUSTER_PREVIOUS_OWNER_ID: "east,west" };
  expect(readSettings(operatorSettings, required, environment).previousOwnerId).toEqual(["east", "west"]);
  const flags = [...required, "--previous-owner-id", "east", "--previous-owner-id", "west"];
  expect(readSettings(operatorSettings, flags, {}).previousOwnerId).toEqual(["east", "west"]);
});
