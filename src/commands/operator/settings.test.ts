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

it("accepts a list in a variable, in a flag, or a repeated flag", () => {
  const environment = { MUSTER_PREVIOUS_OWNER_ID: "east,west" };
  expect(readSettings(operatorSettings, required, environment).previousOwnerId).toEqual(["east", "west"]);
  const flags = [...required, "--previous-owner-id", "east,west", "--previous-owner-id", "north"];
  expect(readSettings(operatorSettings, flags, {}).previousOwnerId).toEqual(["east", "west", "north"]);
});
