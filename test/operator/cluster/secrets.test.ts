import { expect, it } from "vitest";
import { describeWithProxiedSystem } from "#test/support/harness/describe-with-system.ts";
import type { Call, Fault } from "#test/support/harness/fault-proxy.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";

const json = { "content-type": "application/json" };

/** Responses that repeat the token of the call, as a careless platform or proxy may. */
const echoing =
  (status: number, code: number) =>
  (token: string): Fault => ({
    is: "response replaced",
    status,
    headers: json,
    body: JSON.stringify({
      code,
      message: `the token ${token} is not liked, nor is Authorization: Bearer ${token}`,
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [{ field: "name", description: `not with ${token}` }],
        },
      ],
    }),
  });
const echoingPage = (token: string): Fault => ({
  is: "response replaced",
  status: 200,
  headers: { "content-type": "text/html" },
  body: `<html>You sent ${token}</html>`,
});

describeWithProxiedSystem(
  "tokens in responses",
  (system, proxy) => {
    const echoes: Record<string, (token: string) => Fault> = {
      "POST sts 1": echoing(403, 7),
      "GET sts 1": echoing(403, 7),
      "GET groups 1": echoingPage,
      "POST groups 1": echoing(400, 3),
      "POST identities 1": echoing(500, 13),
      "POST identities 2": echoingPage,
    };

    it("are redacted in conditions, events and logs", async () => {
      const { admin } = system().controlPlane;
      proxy().options = {
        faultFor: ({ method, collection, number, bearer }: Call) =>
          echoes[`${method} ${collection} ${number}`]?.(bearer),
      };
      const flags = ["--log-level", "debug", "--platform-timeout", "1s", "--settle-time", "1s"];
      const refused = await system().startOperator(flags, { platformUrl: proxy().url });
      const group = musterObject("Group", "team", "group", { parentUid: system().root });
      await admin.apply(group);
      const waiting = await system().waitFor(group, isUnready("TokenExchangeFailed"));
      expect(conditionOf(waiting, "Ready")?.message).toContain("[redacted]");

      // A refused exchange is repeated after 30 to 60 s. Another process repeats it at once.
      await refused.process.kill();
      await system().startOperator(flags, { platformUrl: proxy().url });
      const shown = await system().waitFor(group, isUnready("InvalidSpec"));
      expect(conditionOf(shown, "Stalled")?.message).toContain("[redacted]");
      expect(shown?.["status"].error.message).toContain("[redacted]");

      await admin.patch(group, { spec: { description: "Another spec is another attempt" } });
      await system().ready(group);
      const identity = musterObject("Identity", "team", "identity", {
        groupRef: { name: "group" },
        claimMatch: { issuer: "https://issuer.example", subject: "someone" },
      });
      await admin.apply(identity);
      await system().ready(identity);
      expect(proxy().injected.length).toBeGreaterThanOrEqual(5);
    });
  },
  { platformFlags: ["--log-level", "debug"] },
);
