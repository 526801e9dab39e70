import type { Transport } from "./client/api.ts";
import type { World } from "./world.ts";

/** One check of a requirement. */
export interface Case {
  /** Distinguishes the cases of one requirement; empty if there is only one. */
  readonly name: string;
  /** The case runs once over each of these. */
  readonly transports: readonly Transport[];
  /** @throws {Mismatch} if the requirement does not hold; {Skip} if this platform cannot show whether it holds */
  readonly run: (world: World) => Promise<void>;
}

/** A requirement of the contract, with the cases that check it, the requirements whose cases do, or the reason why no client can. */
export type Requirement = {
  /** Starts with the section's number if the contract states it, with a word if the contract leaves it open. */
  readonly id: string;
  readonly text: string;
} & (
  | { readonly cases: readonly [Case, ...Case[]] }
  | { readonly coveredBy: readonly string[] }
  | { readonly untested: string }
);

/** The requirements on one subject. */
export interface Section {
  readonly title: string;
  /** Whether the contract states the requirements, or leaves them open and this project decided them. */
  readonly origin: "contract" | "decided";
  readonly requirements: readonly Requirement[];
}

/** The requirements on one subject that the contract states. */
export const contractSection = (title: string, requirements: readonly Requirement[]): Section => ({
  title,
  origin: "contract",
  requirements,
});
/** The requirements on one subject that the contract leaves open, as this project decided them. */
export const decidedSection = (title: string, requirements: readonly Requirement[]): Section => ({
  title,
  origin: "decided",
  requirements,
});

/** A requirement with the cases that check it. @param text the contract's sentence, as short as it can be without loss */
export const requirement = (id: string, text: string, ...cases: readonly [Case, ...Case[]]): Requirement => ({
  id,
  text,
  cases,
});
/** A requirement that the cases of others check. @param others the ids of requirements with cases */
export const coveredBy = (id: string, text: string, ...others: readonly [string, ...string[]]): Requirement => ({
  id,
  text,
  coveredBy: others,
});
/** A requirement that no client can check. @param why not */
export const untested = (id: string, text: string, why: string): Requirement => ({ id, text, untested: why });

type Run = Case["run"];
type Arguments = [run: Run] | [name: string, run: Run];

/** A case that does not depend on the transport. */
export const overBoth = (...given: Arguments): Case => caseOf(["rest", "grpc"], given);
/** A case about paths, queries, JSON, headers or HTTP statuses. */
export const overRest = (...given: Arguments): Case => caseOf(["rest"], given);
/** A case about gRPC itself. */
export const overGrpc = (...given: Arguments): Case => caseOf(["grpc"], given);

function caseOf(transports: readonly Transport[], given: Arguments): Case {
  const [name, run] = given.length === 1 ? ["", given[0]] : given;
  return { name, transports, run };
}
