import { describe, expect, it } from "vitest";
import { startupProbe } from "./startup-probe.ts";

const { periodSeconds, timeoutSeconds, failureThreshold } = startupProbe;
const { command } = startupProbe.exec;
const waitSeconds = Number.parseFloat(command[command.indexOf("--wait") + 1] ?? "0") || 0;

/**
 * When the kubelet knows of the token, in seconds after it has prepared the pod, if an attempt takes no time except for its
 * wait: it probes at every whole period in which no attempt is being made and the agent runs.
 */
function noticedAt(agentStart: number, token: number): number {
  let tick = 0;
  for (;;) {
    const ends = Math.max(tick, Math.min(token, tick + waitSeconds));
    if (tick >= agentStart && token <= ends) return ends;
    const next = Math.max(tick + periodSeconds, tick >= agentStart ? ends : 0);
    tick = Math.ceil(next / periodSeconds - 1e-9) * periodSeconds;
  }
}

describe("the startup probe", () => {
  const starts = Array.from({ length: 20 }, (_, index) => index / 20);

  it.each([0.3, 0.7, 1.5, 3, 9, 30, 299])(
    "notices a token that the agent gets after %d s within a second",
    (exchangeSeconds) => {
      const delays = starts.map((start) => noticedAt(start, start + exchangeSeconds) - (start + exchangeSeconds));
      expect(Math.max(...delays)).toBeLessThanOrEqual(1);
    },
  );

  it("has a patience of 300 s, and reports the reason in about as many events as a kubelet reports of a pod", () => {
    expect(failureThreshold * Math.max(periodSeconds, waitSeconds)).toBe(300);
    expect(failureThreshold).toBeLessThanOrEqual(30);
  });

  it("ends by itself before the kubelet ends it, and so prints the reason", () => {
    expect(timeoutSeconds - waitSeconds).toBeGreaterThanOrEqual(5);
  });
});
