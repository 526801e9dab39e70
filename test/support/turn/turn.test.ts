import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTurn, turnOf } from "./turn.ts";

const day = 86_400_000;
const allTurns = Array.from({ length: 9 }, (_, index) => `${index + 1}/9`);

describe("the turn of a commit", () => {
  let folder: string;
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], { cwd: folder });
  const commit = (...args: readonly string[]) => git("commit", "--quiet", "--allow-empty", "-m", "test", ...args);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "muster-turn-"));
    git("init", "--quiet", "--initial-branch=main");
    commit();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is another one for each of nine commits in a row, also where one merges a branch", () => {
    const turns: string[] = [];
    for (let count = 0; count < 9; count += 1) {
      if (count === 4) {
        git("checkout", "--quiet", "-b", "branch", "HEAD~1");
        commit();
        commit();
        git("checkout", "--quiet", "main");
        git("merge", "--quiet", "--no-ff", "-m", "merge", "branch");
      } else commit();
      const { text, chosenBy } = turnOf(folder, 0, undefined);
      expect(chosenBy).toBe(`commit ${count + 2}`);
      turns.push(text);
    }
    expect(turns.toSorted()).toEqual(allTurns);
  });

  it("is the day's in a shallow clone, and without Git", () => {
    git("clone", "--quiet", "--depth=1", `file://${folder}`, "shallow");
    for (const place of [join(folder, "shallow"), tmpdir()]) {
      const turns = Array.from({ length: 9 }, (_, index) => turnOf(place, (20_000 + index) * day, undefined));
      for (const { chosenBy } of turns) expect(chosenBy).toBe("the day, for want of the whole Git history");
      expect(turns.map(({ text }) => text).toSorted()).toEqual(allTurns);
    }
  });
});

it("is the one that the environment names", () => {
  expect(turnOf(tmpdir(), 0, "4/9")).toEqual({ text: "4/9", chosenBy: "MUSTER_TURN" });
});

it("reads a turn from text, and refuses another text", () => {
  expect(readTurn("4/9")).toEqual({ number: 4, of: 9 });
  expect(readTurn("all")).toEqual({ number: 1, of: 1 });
  for (const text of ["", "0/9", "10/9", "4", "none"]) expect(() => readTurn(text)).toThrow("MUSTER_TURN");
});
