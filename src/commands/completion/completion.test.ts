import { spawnSync } from "node:child_process";
import { expect, describe, it } from "vitest";
import { type CommandList, defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { bashCompletion } from "./bash.ts";
import { completedCommands } from "./completed-command.ts";
import { fishCompletion } from "./fish.ts";
import { completeInFish, completeInZsh, hasShell } from "./shells.testing.ts";
import { zshCompletion } from "./zsh.ts";

const run = async () => {};
const command = (summary: string, own: settings.Settings) => ({
  group: "Other" as const,
  load: () => Promise.resolve({ default: defineCommand({ summary, settings: own, run }) }),
});
const level = settings.withDefault(settings.oneOf("debug", "info"), "info", "The level: how much is logged. More.");
const commands: CommandList = {
  serve: command("serve the clients' requests", {
    logLevel: level,
    data: settings.required(settings.file, "The [SQLite] file."),
    workers: settings.optional(settings.integer(1, 9), "The number of workers."),
    output: { ...settings.withDefault(settings.oneOf("json", "yaml"), "json", "The format."), short: "o" },
    verbose: settings.toggle("Log more."),
    issuer: settings.optionalList(settings.oneOf("a", "b"), "An issuer."),
  }),
  "serve audit": command("print the log", { since: settings.optional(settings.text, "When.") }),
  "serve load": command("load files", { files: settings.operands(settings.file, "The files.") }),
  "log in": command("log in", {}),
  shell: command("print a script", { shell: settings.operand(settings.oneOf("bash", "zsh"), "The shell.") }),
  help: command("explain", {
    topic: settings.optionalOperands({ ...settings.text, completion: "command" }, "The topic."),
  }),
};
const completed = await completedCommands(commands);
const serveFlags = ["--log-level", "--data", "--workers", "--output", "--verbose", "--issuer", "--help"];

/** What zsh offers, in its order; fish sorts it. */
const inEveryShell: readonly (readonly [name: string, line: string, expected: readonly string[]])[] = [
  ["commands", "muster ", ["serve", "log", "shell", "help"]],
  ["commands that begin with a text", "muster s", ["serve", "shell"]],
  ["the second word of a command", "muster serve ", ["audit", "load"]],
  ["the second word of a command, of which the first is none", "muster log ", ["in"]],
  ["settings after others", "muster serve --verbose --lo", ["--log-level"]],
  ["settings of a command of two words", "muster serve audit --s", ["--since"]],
  ["enumerated values", "muster serve --log-level ", ["debug", "info"]],
  ["values of a short flag", "muster serve -o y", ["yaml"]],
  ["positional values", "muster shell z", ["zsh"]],
  ["commands and topics for help", "muster help se", ["serve", "settings"]],
  ["nothing for a number", "muster serve --workers ", []],
  ["nothing for an unknown command", "muster what ", []],
  ["names of files", "muster serve --data tscon", ["tsconfig.json"]],
];

describe.skipIf(!hasShell("bash"))("in bash", () => {
  /** What bash offers for the last word; `files` where it completes the names of files. */
  function completions(...words: readonly string[]): readonly string[] | "files" {
    const { stdout, stderr } = spawnSync(
      "bash",
      [
        "-c",
        `${bashCompletion(completed)}
        files=yes; compopt() { [[ $* == "+o default" ]] && files=no; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _muster muster
        printf '%s\\n' "$files" "\${COMPREPLY[@]}"`,
        "bash",
        "muster",
        ...words,
      ],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    const [files, ...found] = stdout.trimEnd().split("\n");
    return files === "yes" && found.join("") === "" ? "files" : found.filter((word) => word !== "");
  }

  it.each([
    ["commands", [""], ["serve", "log", "shell", "help"]],
    ["commands that begin with a text", ["s"], ["serve", "shell"]],
    ["the second word of a command", ["serve", ""], ["audit", "load"]],
    ["the second word of a command, of which the first is none", ["log", ""], ["in"]],
    ["settings", ["serve", "--"], serveFlags],
    ["settings after others", ["serve", "--verbose", "--lo"], ["--log-level"]],
    ["settings of a command of two words", ["serve", "audit", "--"], ["--since", "--help"]],
    ["enumerated values", ["serve", "--log-level", ""], ["debug", "info"]],
    ["enumerated values that begin with a text", ["serve", "--log-level", "d"], ["debug"]],
    ["enumerated values after =", ["serve", "--log-level", "=", "i"], ["info"]],
    ["enumerated values directly after =", ["serve", "--log-level", "="], ["debug", "info"]],
    ["values of a short flag", ["serve", "-o", "y"], ["yaml"]],
    ["positional values", ["shell", "z"], ["zsh"]],
    ["commands and topics for help", ["help", "se"], ["serve", "settings"]],
    ["nothing for a number", ["serve", "--workers", ""], []],
    ["nothing for an unknown command", ["what", ""], []],
    ["nothing where nothing matches", ["x"], []],
  ])("completes %s", (_, words, expected) => {
    expect(completions(...words)).toEqual(expected);
  });

  it.each([
    ["the value of a setting", ["serve", "--data", ""]],
    ["a positional argument", ["serve", "load", "a"]],
    ["a second one", ["serve", "load", "a", ""]],
  ])("completes names of files for %s", (_, words) => {
    expect(completions(...words)).toBe("files");
  });
});

describe("in zsh", () => {
  const script = zshCompletion(completed);

  it("describes each setting, with its values, and escapes what zsh would read", () => {
    expect(script).toContain("'--log-level=[The level]:debug|info:(debug info)'");
    expect(script).toContain("'--data=[The \\[SQLite\\] file]:FILE:_files'");
    expect(script).toContain("'(--output -o)-o[The format]:json|yaml:(json yaml)'");
    expect(script).toContain("'*--issuer=[An issuer]:a|b:(a b)'");
    expect(script).toContain("'--verbose[Log more]'");
    expect(script).toContain("'serve:serve the clients'\\'' requests'");
    expect(script).toContain('\'1:command:((audit\\:"print the log" load\\:"load files"))\'');
    expect(script).toContain("'*: :_files'");
  });

  it.skipIf(!hasShell("zsh")).each(inEveryShell)("completes %s", (_, line, expected) => {
    expect(completeInZsh(script, line)).toEqual(expected);
  });
});

describe("in fish", () => {
  const script = fishCompletion(completed);

  it("describes each setting, with its values, and escapes what fish would read", () => {
    const serve = "complete --command muster --condition '__muster_command \"serve\"'";
    expect(script).toContain(
      `${serve} --long-option log-level --exclusive --arguments 'debug info' --description 'The level'`,
    );
    expect(script).toContain(`${serve} --long-option data --require-parameter --force-files`);
    expect(script).toContain(`${serve} --short-option o --long-option output --exclusive`);
    expect(script).toContain(`${serve} --long-option workers --exclusive`);
    expect(script).toContain("--arguments serve --description 'serve the clients\\' requests'");
    expect(script).toContain("complete --command muster --condition '__muster_command serve' --arguments audit");
  });

  it.skipIf(!hasShell("fish")).each(inEveryShell)("completes %s", (_, line, expected) => {
    expect(completeInFish(script, line)).toEqual(expected.toSorted());
  });
});

it("has every command and setting in each script", async () => {
  const { commands: all } = await import("#src/commands.ts");
  const real = await completedCommands(all);
  const scripts = [bashCompletion(real), zshCompletion(real), fishCompletion(real)];
  for (const { name, flags } of real)
    for (const script of scripts) {
      expect(script).toContain(name.split(" ").at(-1));
      for (const { flag } of flags) expect(script).toContain(flag.slice(2));
    }
});
