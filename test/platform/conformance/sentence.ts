import type { World } from "./world.ts";

/** How a case reaches the platform. */
export type Transport = "rest" | "grpc";

/** One way to see whether a sentence holds. Throws where it does not. */
export interface Case {
  /** Tells the cases of one sentence apart; empty where there is one. */
  readonly name: string;
  /** Over what it is run: once over each. */
  readonly over: readonly Transport[];
  readonly run: (world: World) => Promise<void>;
}

/** A sentence of the contract, with the cases that show that it holds or why none can be had from outside. */
export type Sentence = {
  /** Starts with the section's number where the contract says it, with a word where the contract leaves it open. */
  readonly id: string;
  readonly says: string;
} & ({ readonly cases: readonly [Case, ...Case[]] } | { readonly untried: string });

/** Sentences about one thing. */
export interface Chapter {
  readonly title: string;
  /** What the contract says, or what it leaves open and this project decided. */
  readonly origin: "contract" | "decided";
  readonly sentences: readonly Sentence[];
}

type Run = Case["run"];
type Arguments = [run: Run] | [name: string, run: Run];

/** A case that says nothing of how a message travels. */
export const overBoth = (...given: Arguments): Case => caseOf(["rest", "grpc"], given);
/** A case about paths, queries, JSON, headers or HTTP status. */
export const overRest = (...given: Arguments): Case => caseOf(["rest"], given);
/** A case about gRPC itself. */
export const overGrpc = (...given: Arguments): Case => caseOf(["grpc"], given);

function caseOf(over: readonly Transport[], given: Arguments): Case {
  const [name, run] = given.length === 1 ? ["", given[0]] : given;
  return { name, over, run };
}
