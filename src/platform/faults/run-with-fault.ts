import { setTimeout as wait } from "node:timers/promises";
import { ApiError, type Code, resourceExhausted } from "../errors/api-error.ts";
import type { FaultEffect, FaultRule, ResponseFault } from "./fault-rule.ts";

/** Runs the work of a call under a fault. The result or error is discarded if the response is reset. @throws ApiError */
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

/** How the effect breaks the response of a call; `undefined` if it does not. */
export function responseFaultOf(effect: FaultEffect): ResponseFault | undefined {
  return effect.kind === "reset" || effect.kind === "truncate" ? effect.kind : undefined;
}

function faultError(code: Code): ApiError {
  if (code === 8) return resourceExhausted("a fault on demand", 1);
  return new ApiError(code, "FAULT", `Fault on demand: code ${code}`);
}
