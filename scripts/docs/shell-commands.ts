/** A simple command of a shell script: its words, without redirections and assignments. Words are as written, unquoted. */
export type ShellCommand = readonly string[];

/**
 * The simple commands of a script, those in substitutions included. It reads what documentation contains: quotes,
 * `$(…)`, pipes, lists, here-documents, comments, continued lines, functions, groups. It does not run or expand anything;
 * the text of a substitution remains in its word as `$()`.
 */
export function shellCommands(script: string): readonly ShellCommand[] {
  const text = withoutHereDocuments(script).replaceAll("\\\n", " ");
  const found: string[][] = [];
  read(text, 0, found);
  return found.map(withoutAssignments).filter((words) => words.length > 0);
}

/** Reads up to the end, or to an unmatched `)`. @returns the position after what was read */
function read(text: string, start: number, found: string[][]): number {
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) found.push(words);
    words = [];
  };
  let at = start;
  while (at < text.length) {
    const rest = text.slice(at);
    const char = text[at] ?? "";
    if (rest.startsWith("$(")) {
      at = read(text, at + 2, found);
      word = `${word ?? ""}$()`;
    } else if (char === ")") {
      endCommand();
      return at + 1;
    } else if (char === "'") {
      const quote = text.indexOf("'", at + 1);
      const end = quote === -1 ? text.length : quote;
      word = (word ?? "") + text.slice(at + 1, end);
      at = end + 1;
    } else if (char === '"') {
      const quoted = readQuoted(text, at + 1, found);
      word = (word ?? "") + quoted.word;
      at = quoted.next;
    } else if (char === "\\") {
      word = (word ?? "") + (text[at + 1] ?? "");
      at += 2;
    } else if (char === "#" && word === undefined) {
      at += /^[^\n]*/.exec(rest)?.[0].length ?? 0;
    } else if (/^(?:\d?>>?&?\d?|<<<|<)/.test(rest) && (word === undefined || !/^\d/.test(char))) {
      // A redirection and its file are not words of the command.
      endWord();
      const [redirection = ""] = /^\d?(?:>>?&\d|>>?|<<<|<)\s*(?:[^\s;|&()"']|"[^"]*"|'[^']*')*/.exec(rest) ?? [];
      at += Math.max(redirection.length, 1);
    } else if (/[;|&\n{}]/.test(char) && !(/[{}]/.test(char) && !isAlone(text, at))) {
      endCommand();
      at += 1;
    } else if (char === "(") {
      // `name() {`: a function. A subshell is a list of commands, too.
      if (rest.startsWith("()")) {
        word = undefined;
        words = [];
        at += 2;
      } else {
        endCommand();
        at = read(text, at + 1, found);
      }
    } else if (/\s/.test(char)) {
      endWord();
      at += 1;
    } else {
      word = (word ?? "") + char;
      at += 1;
    }
  }
  endCommand();
  return at;
}

function readQuoted(text: string, start: number, found: string[][]): { word: string; next: number } {
  let word = "";
  let at = start;
  while (at < text.length && text[at] !== '"') {
    if (text.startsWith("$(", at)) {
      at = read(text, at + 2, found);
      word += "$()";
    } else if (text[at] === "\\") {
      word += text[at + 1] ?? "";
      at += 2;
    } else {
      word += text[at];
      at += 1;
    }
  }
  return { word, next: at + 1 };
}

/** Whether a brace stands alone, as the begin or end of a group, and not in a word such as `{.status}`. */
function isAlone(text: string, at: number): boolean {
  return /^\s?$/.test(text[at - 1] ?? "") && /^[\s;]?$/.test(text[at + 1] ?? "");
}

function withoutHereDocuments(script: string): string {
  return script.replaceAll(/<<-?\s*['"]?(\w+)['"]?([^\n]*)\n[^]*?\n\s*\1[ \t]*(?=\n|$)/g, "$2");
}

const keywords = new Set([
  "if",
  "then",
  "else",
  "elif",
  "fi",
  "for",
  "while",
  "until",
  "do",
  "done",
  "case",
  "esac",
  "!",
]);

function withoutAssignments(words: readonly string[]): readonly string[] {
  let first = 0;
  while (keywords.has(words[first] ?? "") || /^\w+\+?=/.test(words[first] ?? "")) first += 1;
  const [name] = words.slice(first);
  // `for NAME in …` has no command; `export`, `sudo` and `exec` have one after them, or none.
  if (words[first - 1] === "for" || name === undefined) return [];
  return ["export", "sudo", "exec", "time", "nice"].includes(name)
    ? withoutAssignments(words.slice(first + 1))
    : words.slice(first);
}
