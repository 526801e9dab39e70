import { expect, it } from "vitest";
import { describeWithTarget } from "./describe-with-target.ts";
import { applyExamples, installTryOut, runLabelledPod } from "#test/node/try-out.ts";

describeWithTarget("a cluster with the chart muster-try-out", (target) => {
  it("is installed with one command", () => installTryOut(target()));

  it("makes the examples Ready", () => applyExamples(target()));

  it("gives a labelled pod a token, with which it reads what its role allows", async () => {
    expect(await runLabelledPod(target(), "smoke")).toBe("200 checkout production");
  });
});
