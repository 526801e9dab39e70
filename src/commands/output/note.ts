/** A text for people. A command at its end stands apart, because Markdown would change it, and people copy it. */
export type Note = string | { readonly text: string; readonly command: string };

/** A message on one line as a note: one that ends in a command says `Run:` before it, as conditions do. */
export function noteOf(message: string): Note {
  const [, text, command] = /^(.* Run:) (kubectl .+)$/.exec(message) ?? [];
  return text === undefined || command === undefined ? message : { text, command };
}

/** The note on one line, where nothing changes its characters. */
export function noteText(note: Note): string {
  return typeof note === "string" ? note : `${note.text} ${note.command}`;
}

/** The note with a text before it. */
export function noteAfter(before: string, note: Note): Note {
  return typeof note === "string" ? `${before} ${note}` : { ...note, text: `${before} ${note.text}` };
}
