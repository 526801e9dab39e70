/** Prints what a person who waits wants to know, while the tests run. */
export function report(line: string): void {
  process.stderr.write(`e2e: ${line}\n`);
}
