import { describe, expect, it } from "vitest";
import { type CommandRun, runCommand } from "./command-line.testing.ts";
import { CommandFailure, type CommandList, defineCommand } from "./commands/command.ts";
import { commands as realCommands } from "./commands.ts";
import { topics } from "./commands/help/topics.ts";
import * as settings from "./commands/settings/settings.ts";

const listed = (command: unknown) => ({ group: "Other" as const, load: () => Promise.resolve({ default: command }) });
const { help } = realCommands;
const commands: CommandList = {
  work: listed(
    defineCommand({
      summary: "work",
      settings: { count: settings.withDefault(settings.integer(1, 9), "1", "How often.") },
      run: async ({ count }, { stdout }) => {
        if (count === 9) throw new Error("it is too much work");
        if (count === 8) throw new CommandFailure("somebody else has to do it", 12);
        stdout.write(`worked ${count}\n`);
      },
    }),
  ),
  "work hard": listed(
    defineCommand({
      summary: "work hard",
      settings: { files: settings.optionalOperands(settings.file, "Files.") },
      run: async ({ files }, { stdout }) => void stdout.write(`${files.join()}\n`),
    }),
  ),
  "log in": listed(defineCommand({ summary: "log in", settings: {}, run: async () => {} })),
  "log out": listed(defineCommand({ summary: "log out", settings: {}, run: async () => {} })),
  ...(help === undefined ? {} : { help }),
};

const run = (args: readonly string[], list = commands, columns = 80): Promise<CommandRun> =>
  runCommand(args, { commands: list, columns });

describe("the command line", () => {
  it("runs a command of one word or two", async () => {
    expect(await run(["work", "--count", "3"])).toEqual({ code: 0, stdout: "worked 3\n", stderr: "" });
    expect(await run(["work", "hard", "a", "b"])).toEqual({ code: 0, stdout: "a,b\n", stderr: "" });
  });

  it("exits with 1 after a failure, and says why on standard error", async () => {
    expect(await run(["work", "--count", "9"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "muster work: it is too much work\n",
    });
  });

  it("exits with the code of a failure that scripts distinguish", async () => {
    expect(await run(["work", "--count", "8"])).toMatchObject({
      code: 12,
      stderr: "muster work: somebody else has to do it\n",
    });
  });

  it.each([
    ["an unknown command", ["wrok"], 'muster: "wrok" is not a command; did you mean "work"?'],
    ["an unknown command of two words", ["work", "hadr"], '"work hadr" is not a command; did you mean "work hard"?'],
    ["a command that no other is near", ["quit"], 'muster: "quit" is not a command; "muster help" lists all commands'],
    ["an unknown setting", ["work", "--cout", "3"], '--cout is not a setting of this command; did you mean "--count"?'],
    ["an invalid value", ["work", "--count", "0"], '--count: "0" is not a whole number from 1 to 9'],
    ["an unknown topic", ["help", "exit-code"], 'there is no command or topic "exit-code"; did you mean "exit-codes"?'],
    ["an unexpected argument", ["work", "--count", "1", "now"], '"now" is not expected here'],
    ["the version flag of other programs", ["-v"], 'muster: "-v" is not a command; did you mean "version"?'],
    ["a setting before the command", ["--count", "3", "work"], 'muster: "--count" is not a command; flags come after'],
    ["a setting with one hyphen", ["work", "-count", "3"], '-count is not a setting of this command; did you mean "--'],
    ["a name of every object", ["constructor"], 'muster: "constructor" is not a command'],
  ])("exits with 2 for %s, with a suggestion on standard error", async (_, args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("reports only the flag if a value follows an unknown one", async () => {
    const mistake = (args: readonly string[]) => run(args).then(({ stderr }) => stderr);
    for (const args of [
      ["work", "--speed", "3"],
      ["work", "--speed=3"],
    ])
      expect(await mistake(args)).toBe(
        "muster work: invalid settings\n  --speed is not a setting of this command; --help lists all settings\n",
      );
    expect(await mistake(["work", "-speed", "fast"])).toBe(
      "muster work: invalid settings\n  -speed is not a setting of this command; --help lists all settings\n",
    );
  });

  it("shows the commands below a word: as an error, unless help is asked for", async () => {
    const asked = await run(["help", "log"]);
    expect(asked).toEqual({ code: 0, stderr: "", stdout: "Commands:\n  log in   log in\n  log out  log out\n" });
    expect(await run(["log", "--help"])).toEqual(asked);
    expect(await run(["log"])).toEqual({ code: 2, stdout: "", stderr: asked.stdout });
    expect((await run(["log", "uot"])).stderr).toBe('muster: "log uot" is not a command; did you mean "log out"?\n');
    expect((await run(["log", "x"])).stderr).toBe(
      'muster: "log x" is not a command; "muster help log" lists the commands\n',
    );
  });

  it.each(["token", "operator check"])(
    "exits with 2 for an invalid variable of a proxy, as for a setting: %s",
    async (name) => {
      const [uid, url] = ["0".repeat(40), "https://platform.example"];
      const given = { IDENTITY: uid, PLATFORM_URL: url, AUTH_URL: url, API_AUDIENCE: url };
      const env = Object.fromEntries(Object.entries(given).map(([key, value]) => [`MUSTER_${key}`, value]));
      const result = await runCommand(name.split(" "), { env: { ...env, HTTPS_PROXY: "ftp://me:hidden@x" } });
      expect(result).toEqual({
        code: 2,
        stdout: "",
        stderr: `muster ${name}: invalid settings\n  the environment variable HTTPS_PROXY is not the URL of an HTTP proxy, such as http://proxy.example.com:3128\n`,
      });
    },
  );

  it("shows all commands if none is named: as an error, unless help is asked for", async () => {
    const asked = await run(["--help"]);
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain("  work hard  work hard\n");
    expect(await run([])).toEqual({ code: 2, stdout: "", stderr: asked.stdout });
    for (const args of [["-h"], ["help"], ["-h", "--help"]]) expect(await run(args)).toEqual(asked);
  });

  it("shows the help of a command wherever --help or -h is, and reads neither after --", async () => {
    const asked = await run(["help", "work"]);
    expect(asked.stdout).toContain("Usage: muster work [--setting VALUE …]");
    expect(asked.stdout).toContain("  work hard  work hard");
    for (const args of [
      ["work", "-h"],
      ["work", "--help"],
      ["work", "--count", "0", "-h"],
      ["-h", "work"],
      ["--help", "work"],
    ])
      expect(await run(args)).toEqual(asked);
    expect((await run(["help", "work", "hard"])).stdout).toContain("Usage: muster work hard [FILE…]");
    expect((await run(["work", "hard", "--", "-h"])).stdout).toBe("-h\n");
  });

  it("shows the commands of a group", async () => {
    expect((await run(["help", "other"])).stdout).toMatch(/^Other:\n {2}work /);
  });
});

describe("the help of every command and topic", () => {
  const names = [
    [],
    ...Object.keys(realCommands).map((name) => name.split(" ")),
    ...Object.keys(topics).map((one) => [one]),
  ];

  it.each([60, 80, 100])("fits %i columns", async (columns) => {
    for (const name of names) {
      const { code, stdout, stderr } = await run(["help", ...name], realCommands, columns);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.length).toBeGreaterThan(100);
      // A single word cannot be wrapped, nor can a command to copy, or a row of a topic's table.
      const tooLong = stdout
        .split("\n")
        .filter((line) => line.length > Math.max(columns, line.startsWith("  ") ? 80 : 0));
      expect(tooLong.filter((line) => line.trim().includes(" "))).toEqual([]);
    }
  });
});
