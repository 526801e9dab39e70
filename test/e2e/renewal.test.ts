import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { operatorNamespace } from "#test/node/try-out.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { report } from "./report.ts";
import { ShortLivedTokens, timeoutMs } from "./short-lived-tokens.ts";

describeOnNode("tokens and keys that live for a minute", () => {
  let muster: ShortLivedTokens;

  /** Rotates the key as the docs say. @returns the id of the new key */
  async function rotate(...flags: readonly string[]): Promise<string> {
    const command = ["muster", "platform", "rotate-signing-key", ...flags];
    const inPlatform = ["-n", operatorNamespace, "exec", "muster-platform-0", "--"];
    const output = await kubectl(muster.cluster, [...inPlatform, ...command]);
    const [, kid = ""] = /Created the signing key (\S+)\. /.exec(output) ?? [];
    expect(kid).not.toBe("");
    return kid;
  }

  beforeAll(async () => {
    muster = await ShortLivedTokens.start();
  });
  afterAll(() => muster?.cluster.stop());

  it("are renewed three times by agents and operator, and no application reads an expired one", {
    timeout: timeoutMs,
  }, async () => {
    const before = await muster.exchanges();
    await vi.waitFor(
      async () => {
        await muster.edit();
        expect((await muster.exchanges())["OK"]).toBeGreaterThanOrEqual((before["OK"] ?? 0) + 3);
      },
      { timeout: timeoutMs, interval: 2_000 },
    );
    await muster.edit();
    const seen = await muster.eachHasSeen(({ tokens }) => tokens.length >= 4);
    for (const { tokens } of seen) expect(tokens.flatMap(({ answers }) => answers)).toEqual(tokens.map(() => "200"));
    await muster.expectNoFault();
    const after = JSON.stringify(await muster.exchanges());
    report(`the operator's exchanges: ${JSON.stringify(before)}, then ${after}; ${muster.edits} edits`);
    report(`tokens that each application read: ${seen.map(({ tokens }) => tokens.length).join(", ")}`);
  });

  it("follow a rotation of the platform's key, and no token ends", { timeout: timeoutMs }, async () => {
    const kid = await rotate();
    const seen = await muster.eachHasSeen(
      ({ tokens }) => tokens.at(-1)?.kid === kid && tokens.at(-1)?.answers.length === 1,
    );
    for (const { tokens } of seen) expect(new Set(tokens.flatMap(({ answers }) => answers))).toEqual(new Set(["200"]));
    await muster.edit();
    await muster.expectNoFault();
  });

  it("follow a revocation: a token that ended stays until the next renewal", { timeout: timeoutMs }, async () => {
    const kid = await rotate("--revoke");
    const seen = await muster.eachHasSeen(
      ({ tokens }) => tokens.at(-1)?.kid === kid && tokens.at(-1)?.answers.length === 1,
    );
    for (const { tokens } of seen) {
      const first = tokens.findIndex((token) => token.kid === kid);
      expect(tokens.slice(first).flatMap(({ answers }) => answers)).toEqual(tokens.slice(first).map(() => "200"));
      expect(tokens.slice(0, first - 1).flatMap(({ answers }) => answers)).not.toContain("401");
      report(
        `after --revoke, the last token of the earlier key was answered with ${tokens[first - 1]?.answers.join(", ")}`,
      );
    }
    // A watcher that gets its next token in the same fifth of a second sees nothing of it; not both do.
    expect(seen.some(({ tokens }) => tokens.findLast((token) => token.kid !== kid)?.answers.at(-1) === "401")).toBe(
      true,
    );
    await muster.edit();
    await muster.expectNoFault();
    report(`the operator's exchanges after all: ${JSON.stringify(await muster.exchanges())}`);
  });
});
