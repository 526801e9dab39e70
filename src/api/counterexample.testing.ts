import { RE2JS } from "re2js";
import type { Beginning } from "./certain-pattern.ts";

/** An instruction of a program that RE2 compiles a pattern to. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Iterable<number>;
  matchRune(rune: number): boolean;
}
interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

const [alternative, alternativeMatch, capture, emptyWidth, fail, match, nop] = [1, 2, 3, 4, 5, 6, 7];
const [anyRune, anyRuneNotNewline] = [10, 11];
const others = Array.from("xyzXYZ09~ \n\u{2603}", (character) => character.codePointAt(0) ?? 0);

/** A text that a program may match, although no beginning covers it. */
export interface Counterexample {
  readonly text: string;
  /** Whether RE2 matches it. What depends on anchors and word boundaries in the middle of a text is a guess. */
  readonly isMatch: boolean;
}

/** What is consumed of a text: all of it, if it may still become a beginning; otherwise one example. */
interface Position {
  readonly at: number;
  readonly text: string;
  readonly isOther: boolean;
}

/** Whether the beginnings cover a text. */
export function isCovered(text: string, beginnings: readonly Beginning[]): boolean {
  return beginnings.some((one) => (one.isWhole ? text === one.text : text.startsWith(one.text)));
}

/**
 * Searches all ways through the compiled program of a pattern for a text that no beginning covers. Among the characters
 * that an instruction accepts, it tries those with which a beginning goes on, and one other.
 */
export function findCounterexample(pattern: string, beginnings: readonly Beginning[]): Counterexample | undefined {
  const compiled = RE2JS.compile(pattern);
  const { inst, start }: Program = compiled.re2().prog;
  const seen = new Set<string>();
  const open: Position[] = [{ at: start, text: "", isOther: false }];
  let guess: Counterexample | undefined;
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    const { at, text, isOther } = position;
    const key = `${at} ${isOther ? "" : `:${text}`}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const instruction = inst[at];
    if (instruction === undefined || instruction.op === fail) continue;
    const { op, out, arg } = instruction;
    if (op === match) {
      if (isCovered(text, beginnings)) continue;
      if (compiled.matcher(text).matches()) return { text, isMatch: true };
      guess = { text, isMatch: false };
    } else if (op === alternative || op === alternativeMatch)
      open.push({ ...position, at: out }, { ...position, at: arg });
    else if (op === capture || op === emptyWidth || op === nop) open.push({ ...position, at: out });
    else open.push(...afterRune(instruction, position, beginnings));
  }
  return guess;
}

function afterRune(
  instruction: Instruction,
  { text, isOther }: Position,
  beginnings: readonly Beginning[],
): Position[] {
  const at = instruction.out;
  const continuations = new Set(
    isOther
      ? []
      : beginnings.flatMap((one) => (one.text.startsWith(text) ? (one.text.codePointAt(text.length) ?? []) : [])),
  );
  const positions: Position[] = [];
  for (const rune of continuations) {
    const longer = text + String.fromCodePoint(rune);
    if (!accepts(instruction, rune)) continue;
    if (!beginnings.some((one) => !one.isWhole && longer.startsWith(one.text)))
      positions.push({ at, text: longer, isOther: false });
  }
  const other = [...[...instruction.runes].flatMap(inBothCases), ...others].find(
    (rune) => !continuations.has(rune) && accepts(instruction, rune),
  );
  if (other !== undefined) positions.push({ at, text: text + String.fromCodePoint(other), isOther: true });
  return positions;
}

function accepts(instruction: Instruction, rune: number): boolean {
  if (instruction.op === anyRune) return true;
  return instruction.op === anyRuneNotNewline ? rune !== 10 : instruction.matchRune(rune);
}

function inBothCases(rune: number): number[] {
  const character = String.fromCodePoint(rune);
  return [character, character.toUpperCase(), character.toLowerCase()].map((one) => one.codePointAt(0) ?? rune);
}
