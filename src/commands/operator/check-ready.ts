import { Agent } from "undici";
import { ExplainedError } from "#src/commands/explained-error.ts";

/** @throws {Error} unless the operator reports that it is ready. */
export async function checkReady(operatorUrl: URL, deadlineMs: number): Promise<void> {
  const url = new URL("/readyz", operatorUrl);
  const statusCode = await statusOf(url, deadlineMs).catch((error: unknown) => {
    throw new ExplainedError(
      "operator-not-ready",
      `--operator-url: the operator does not respond at ${url.href} (${error instanceof Error ? error.message : String(error)}). Check that its pods run: kubectl describe pods`,
      { cause: error },
    );
  });
  if (statusCode !== 200)
    throw new ExplainedError(
      "operator-not-ready",
      `the operator is not ready (${url.href} responds with ${statusCode}): it has not yet read its objects. Its log says why, such as a missing CRD or permission`,
    );
}

async function statusOf(url: URL, deadlineMs: number): Promise<number> {
  const agent = new Agent({ headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
  try {
    const { statusCode, body } = await agent.request({ origin: url.origin, path: url.pathname, method: "GET" });
    await body.dump();
    return statusCode;
  } finally {
    await agent.close();
  }
}
