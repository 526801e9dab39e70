import { setTimeout as wait } from "node:timers/promises";
import { ApiError, type Code, resourceExhausted } from "../errors/api-error.ts";
import type { Breakage } from "#src/platform/server/break-response.ts";
import type { FaultEffect, FaultRule } from "./fault-rule.ts";

/** Does the work, or does not, as the fault says. What a reset leaves is never sent. @throws ApiError */
export async function runWithFault<T>({ latency, effect }: FaultRule, work: () => Promise<T>): Promise<T> {
  if (latency > 0) await wait(latency);
  switch (effect.kind) {
    case "none":
    case "truncate":
      return work();
    case "error":
      if (effect.applied) await work();
      throw faultError(effect.code);
    case "reset":
      if (effect.applied) await work();
      throw new ApiError(14, "FAULT", "Fault on demand: the connection is reset");
  }
}

/** How what is sent of the call breaks. */
export function breakageOf(effect: FaultEffect): Breakage | undefined {
  return effect.kind === "reset" || effect.kind === "truncate" ? effect.kind : undefined;
}

function faultError(code: Code): ApiError {
  if (code === 8) return resourceExhausted("a fault on demand", 1);
  return new ApiError(code, "FAULT", `Fault on demand: code ${code}`);
}
