import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { loadCommand } from "#src/commands/command.ts";
import { flagOf } from "#src/commands/settings/setting.ts";
import { commands } from "#src/commands.ts";
import { resourceNames } from "./resource-names.ts";
import { type ShellCommand, shellCommands } from "./shell-commands.ts";
import { helmFlags, kubectlFlags, type ToolFlags } from "./tool-flags.ts";

/** Programs whose arguments are not checked. An ellipsis stands for a command that the reader fills in. */
const others = new Set(
  "bash base64 cat cd chmod cosign curl cut date dirname docker echo exit export git go grep head jq kind ln ls mkdir mktemp node openssl oras oxlint pg_dump pg_restore printf promtool psql python3 read rm sed set sha256sum sleep sort tail tar terraform test touch tr trap true umask uniq wait [ :".split(
    " ",
  ),
);

/** Mistakes in the commands of a script: unknown programs, sub-commands, flags, scripts, kinds and files of the repository. */
export async function commandMistakes(script: string): Promise<readonly string[]> {
  const functions = new Set([...script.matchAll(/^\s*(\w+)\(\)/gm)].map(([, name]) => name));
  const mistakes: string[] = [];
  for (const command of shellCommands(script)) {
    if (functions.has(command[0])) continue;
    mistakes.push(...(await mistakesOf(command)), ...missingFiles(command));
  }
  return mistakes;
}

async function mistakesOf([program = "", ...args]: ShellCommand): Promise<readonly string[]> {
  switch (program) {
    case "muster":
    case "src/muster.sh":
      return musterMistakes(args);
    case "npx":
      return args[0] === "muster" ? musterMistakes(args.slice(1)) : [];
    case "npm":
      return npmMistakes(args);
    case "kubectl":
      return [...toolMistakes("kubectl", args, kubectlFlags), ...unknownKinds(args)];
    case "helm":
      return toolMistakes("helm", args, helmFlags);
    default:
      return others.has(program) || program === "…" || program.startsWith("$") || /^[./]/.test(program)
        ? []
        : [`the program "${program}" is unknown: correct it, or add it in scripts/docs/command-checker.ts`];
  }
}

async function musterMistakes(args: readonly string[]): Promise<readonly string[]> {
  const [first = "", second = ""] = args;
  if (/^(?:COMMAND|--help|-h|--version)?$/.test(first)) return [];
  const name = [`${first} ${second}`, first].find((one) => Object.hasOwn(commands, one));
  const listed = name === undefined ? undefined : commands[name];
  if (name === undefined || listed === undefined) return [`"muster ${first}" is not a command`];
  const { settings } = await loadCommand(listed);
  const known = ["--help", "-h"];
  for (const [key, { operand, short }] of Object.entries(settings))
    if (!operand) known.push(flagOf(key), ...(short === undefined ? [] : [`-${short}`]));
  const given = flagsOf(args.slice(name.split(" ").length));
  const unknown = given.filter((flag) => !known.includes(flag)).map((flag) => `"muster ${name}" has no ${flag}`);
  const takesOperands = Object.values(settings).some(({ operand }) => operand);
  const below = Object.keys(commands).some((other) => other.startsWith(`${name} `));
  const word = args[name.split(" ").length] ?? "";
  return below && !takesOperands && /^[a-z]/.test(word)
    ? [...unknown, `"muster ${name} ${word}" is not a command`]
    : unknown;
}

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: Record<string, string> };

async function npmMistakes([verb = "", name = "", ...args]: readonly string[]): Promise<readonly string[]> {
  if (["ci", "i", "install", "test", "uninstall"].includes(verb)) return [];
  const script = verb === "run" ? scripts[name] : undefined;
  if (script === undefined) return [`"npm ${verb} ${name}" is not a script of package.json`];
  const flags = flagsOf(args);
  if (flags.length === 0) return [];
  if (args[0] !== "--") return [`"npm run ${name}" needs -- before ${flags.join(", ")}: npm takes them as its own`];
  // `npm run bench -- operator --objects 9`: each benchmark has options of its own.
  const words = args.slice(1, args.indexOf(flags[0] ?? ""));
  const usage = await usageOf(script, words);
  const command = ["npm run", name, ...(words.length === 0 ? [] : ["--", ...words])].join(" ");
  return flags.filter((flag) => !usage.has(flag)).map((flag) => `"${command}" has no ${flag}`);
}

const usages = new Map<string, Promise<ReadonlySet<string>>>();

/** The flags that the help of a program of the repository names. @param words the arguments before the first flag */
function usageOf(script: string, words: readonly string[]): Promise<ReadonlySet<string>> {
  const key = [script, ...words].join(" ");
  const read = async () => {
    const [, file = ""] = /node (\S+)/.exec(script) ?? [];
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...words, "--help"]);
    return new Set(["--help", "-h", ...(stdout.match(/--?[a-z][a-z0-9-]*/g) ?? [])]);
  };
  const usage = usages.get(key) ?? read();
  usages.set(key, usage);
  return usage;
}

function toolMistakes(tool: string, args: readonly string[], known: ToolFlags): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith("-"));
  // Flags that come before the sub-command have a value: `kubectl -n NAMESPACE get`.
  const verb = words.find((word) => Object.hasOwn(known.verbs, word));
  if (verb === undefined)
    return args[0] === "--help" ? [] : [`"${tool} ${words[0] ?? ""}" is unknown in scripts/docs/tool-flags.ts`];
  const flags = new Set([...known.all, ...(known.verbs[verb] ?? [])]);
  return flagsOf(args)
    .filter((flag) => !flags.has(flag))
    .map((flag) => `"${tool} ${verb}" has no ${flag}, as far as scripts/docs/tool-flags.ts knows`);
}

/** Arguments that look like a kind of Muster, or a list of kinds, and are not. */
function unknownKinds(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => {
    if (/[\s{}=:$"]/.test(arg) || arg.startsWith("-")) return [];
    return arg
      .split(",")
      .map((one) => one.split("/")[0] ?? "")
      .filter((one) => /^m(?:gr|id|rb|ten)[a-z]*$|\.iam\.muster\.dev$/.test(one) && !resourceNames.has(one))
      .map((one) => `"${one}" is not a kind of Muster`);
  });
}

/** The flags of a command, without their values, up to `--` where a program of a container begins. */
function flagsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  // After `npm run NAME --`, everything is for the script.
  const own = end > 0 ? args.slice(0, end) : args;
  return own.filter((arg) => /^--?[A-Za-z]/.test(arg)).map((arg) => arg.split("=")[0] ?? "");
}

/** Paths that begin like one of the repository's folders must exist. */
function missingFiles(command: ShellCommand): readonly string[] {
  return command
    .slice(1)
    .filter((word) => /^(?:\.\/)?(?:crds|deploy|docs|examples|scripts|src|test)\/[\w./*-]*$/.test(word))
    .filter((path) => globSync(path.replace(/\/$/, "")).length === 0)
    .map((path) => `${path} is not in the repository`);
}
