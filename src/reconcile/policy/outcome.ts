import type { Drift } from "#src/api/status.ts";
import type { Problem } from "./platform-problem.ts";

/** How a resource stands: what its status is made from. */
export type Outcome =
  /** The platform has it as the spec says. */
  | { readonly is: "ready"; readonly uid: string; readonly parentUid: string }
  | { readonly is: "paused" }
  | (Problem & { readonly drift?: readonly Drift[] });
