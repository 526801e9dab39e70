/** A command that is run by hand. */
export interface Command {
  /** Messages begin with it. */
  readonly name: string;
  readonly usage: string;
}

/**
 * Reads the arguments of this process. Prints the usage and exits with 0 if `read` returns "help"; prints the error and
 * the usage and exits with 2 if it throws.
 */
export function readCommandLine<Options>(
  { name, usage }: Command,
  read: (args: readonly string[]) => Options | "help",
): Options {
  let options: Options | "help";
  try {
    options = read(process.argv.slice(2));
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
