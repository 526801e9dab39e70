/** A command that is run by hand. */
export interface Command {
  /** Messages begin with it. */
  readonly name: string;
  readonly usage: string;
}

/**
 * Reads the arguments of this process. Prints the usage and exits with 0 for --help or -h, and if `read` returns "help";
 * prints the error and the usage and exits with 2 if it throws.
 */
export function readCommandLine<Options>(
  { name, usage }: Command,
  read: (args: readonly string[]) => Options | "help",
): Options {
  const args = process.argv.slice(2);
  let options: Options | "help";
  try {
    options = args.includes("--help") || args.includes("-h") ? "help" : read(args);
  } catch (error) {
    process.stderr.write(`${name}: ${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
  if (options !== "help") return options;
  process.stdout.write(usage);
  process.exit(0);
}

/** @throws {Error} unless the option's value is a whole number of at least `least` */
export function wholeNumber(option: string, text: string, least = 0): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < least)
    throw new Error(`${option}: "${text}" is not a whole number of at least ${least}`);
  return value;
}

/** For a program whose only arguments are flags: which of them are given. @throws {Error} for any other argument */
export function readFlags<Flag extends string>(args: readonly string[], flags: readonly Flag[]): ReadonlySet<Flag> {
  const given = args.map((arg) => {
    const flag = flags.find((one) => one === arg);
    if (flag === undefined) throw new Error(`"${arg}" is not an option`);
    return flag;
  });
  return new Set(given);
}
