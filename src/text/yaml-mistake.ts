/**
 * Why YAML is not valid, without the text that the parser quotes from it: the text can be of a Secret.
 * @param error of the parser, or of the conversion of a document
 */
export function yamlMistake(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  if (code === "TAG_RESOLVE_FAILED") return "a tag is not valid: put a text that begins with ! in quotes";
  if (code === "BAD_DQ_ESCAPE") return "an escape sequence is not valid: in double quotes, write \\\\ instead of \\";
  // What is quoted comes last, after a colon; a colon after a space is what the parser expects.
  return error.message.replace(/ at line \d+, column \d+:?[^]*$/, "").replace(/(?<=\S): [^]*$/, "");
}
