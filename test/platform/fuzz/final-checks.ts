import type { ApiDocument, Operation } from "./api-document.ts";
import type { Send } from "./callers.ts";
import { collectionOf } from "./rest-request.ts";

/** The platform's resident memory must stay below this number of bytes. */
const memoryLimit = 512 * 1024 * 1024;

/** Checks after the fuzzing: the platform is healthy, its resources are consistent, and no call is still in flight. */
export async function finalViolations(document: ApiDocument, send: Send, url: string): Promise<string[]> {
  const violations: string[] = [];
  for (const path of ["/livez", "/readyz"]) {
    const { status } = await fetch(url + path);
    if (status !== 200) violations.push(`${path}: status ${status}`);
  }
  for (const list of document.operations.filter(isList))
    violations.push(...(await listViolations(document, list, send)));
  violations.push(...(await metricViolations(url)));
  return violations;
}

function isList({ method, path, query }: Operation): boolean {
  return method === "GET" && query.some(({ name }) => name === "page_token") && path.includes("/v2beta1/");
}

/** Every listed resource can be read and matches its schema, and `totalCount` is the number of listed resources. */
async function listViolations(
  document: ApiDocument,
  { path, responseViolations }: Operation,
  send: Send,
): Promise<string[]> {
  const violations: string[] = [];
  const collection = collectionOf(path);
  const get = document.operations.find((operation) => operation.method === "GET" && operation.path === `${path}/{uid}`);
  const uids = new Set<string>();
  let token: string | undefined = "";
  while (token !== undefined) {
    const page: Record<string, unknown> = await send("GET", `${path}?page_size=200&page_token=${token}`);
    violations.push(...(responseViolations?.(page) ?? []).map((violation) => `${path}: ${violation}`));
    for (const { uid } of page[collection] as { readonly uid: string }[]) {
      if (uids.has(uid)) violations.push(`${path}: ${uid} is listed twice`);
      uids.add(uid);
      const resource = await send("GET", `${path}/${uid}`).catch((error: unknown) => String(error));
      if (typeof resource === "string") violations.push(`${path}: a listed resource cannot be read: ${resource}`);
      else
        violations.push(
          ...(get?.responseViolations?.(resource) ?? []).map((violation) => `${path}/${uid}: ${violation}`),
        );
    }
    token = page["nextPageToken"] as string | undefined;
    if (token === undefined && Number(page["totalCount"]) !== uids.size)
      violations.push(`${path}: totalCount is ${String(page["totalCount"])}, but ${uids.size} resources are listed`);
  }
  return violations;
}

/** Checks the platform's own metrics; a platform without metrics passes. */
async function metricViolations(url: string): Promise<string[]> {
  const response = await fetch(`${url}/metrics`);
  if (!response.ok) return [];
  const text = await response.text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  const violations: string[] = [];
  const inFlight = metric("muster_platform_server_requests_in_flight");
  if (inFlight !== 0) violations.push(`${inFlight} calls are still in flight`);
  const memory = metric("process_resident_memory_bytes");
  if (memory > memoryLimit) violations.push(`resident memory is ${Math.round(memory / 1024 / 1024)} MiB`);
  return violations;
}
