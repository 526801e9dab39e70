import { contract } from "./chapters/contract.ts";
import { decided } from "./chapters/decided.ts";
import type { Case, Chapter, Sentence, Transport } from "./sentence.ts";

/** All that is tried. */
export const chapters: readonly Chapter[] = [...contract, ...decided];

/** One case over one transport. */
export interface Trial {
  readonly chapter: Chapter;
  readonly sentence: Sentence;
  readonly tried: Case;
  readonly transport: Transport;
}

/** Every case over every transport that it is for. */
export function trialsOf(all: readonly Chapter[]): readonly Trial[] {
  return all.flatMap((chapter) =>
    chapter.sentences.flatMap((sentence) =>
      "untried" in sentence
        ? []
        : sentence.cases.flatMap((tried) => tried.over.map((transport) => ({ chapter, sentence, tried, transport }))),
    ),
  );
}

/** How a trial is called: its sentence, its case where there are several, its transport. */
export function nameOf({ sentence, tried, transport }: Trial): string {
  const name = tried.name === "" ? sentence.id : `${sentence.id}: ${tried.name}`;
  return `${name} (${transport === "rest" ? "REST" : "gRPC"})`;
}

/** Those whose name matches a pattern anywhere; `*` is any text. All without one. */
export function select(trials: readonly Trial[], pattern: string | undefined): readonly Trial[] {
  if (pattern === undefined) return trials;
  const text = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  const expression = new RegExp(text, "i");
  return trials.filter((trial) => expression.test(nameOf(trial)));
}
