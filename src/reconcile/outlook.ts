import type { Drift } from "#src/api/status.ts";
import type { Trouble } from "./trouble.ts";

/** How a resource stands: what its status is made from. */
export type Outlook =
  /** The platform has it as the spec says. */
  | { readonly is: "ready"; readonly uid: string; readonly parentUid: string }
  | { readonly is: "paused" }
  | (Trouble & { readonly drift?: readonly Drift[] });
