import type { ApiDocument, Operation } from "./api-document.ts";
import type { Send } from "./callers.ts";
import { collectionOf } from "./rest-request.ts";

/** What a platform may weigh after any number of requests. */
const maximumMemory = 512 * 1024 * 1024;

/** What is wrong with the platform after the fuzzing: it still answers, holds together, and has kept nothing open. */
export async function mistakesAfterwards(document: ApiDocument, send: Send, url: string): Promise<string[]> {
  const mistakes: string[] = [];
  for (const path of ["/livez", "/readyz"]) {
    const { status } = await fetch(url + path);
    if (status !== 200) mistakes.push(`${path} answers ${status}`);
  }
  for (const list of document.operations.filter(isList)) mistakes.push(...(await listMistakes(document, list, send)));
  mistakes.push(...(await metricMistakes(url)));
  return mistakes;
}

function isList({ method, path, query }: Operation): boolean {
  return method === "GET" && query.some(({ name }) => name === "page_token") && path.includes("/v2beta1/");
}

/** Every resource that is listed can be got and is what its schema says, and the total is what is listed. */
async function listMistakes(
  document: ApiDocument,
  { path, mistakesOfAnswer }: Operation,
  send: Send,
): Promise<string[]> {
  const mistakes: string[] = [];
  const collection = collectionOf(path);
  const get = document.operations.find((one) => one.method === "GET" && one.path === `${path}/{uid}`);
  const uids = new Set<string>();
  let token: string | undefined = "";
  while (token !== undefined) {
    const page: Record<string, unknown> = await send("GET", `${path}?page_size=200&page_token=${token}`);
    mistakes.push(...(mistakesOfAnswer?.(page) ?? []).map((one) => `${path}: ${one}`));
    for (const { uid } of page[collection] as { readonly uid: string }[]) {
      if (uids.has(uid)) mistakes.push(`${path}: ${uid} is listed twice`);
      uids.add(uid);
      const got = await send("GET", `${path}/${uid}`).catch((error: unknown) => String(error));
      if (typeof got === "string") mistakes.push(`${path}: is listed and cannot be got: ${got}`);
      else mistakes.push(...(get?.mistakesOfAnswer?.(got) ?? []).map((one) => `${path}/${uid}: ${one}`));
    }
    token = page["nextPageToken"] as string | undefined;
    if (token === undefined && Number(page["totalCount"]) !== uids.size)
      mistakes.push(`${path}: totalCount ${String(page["totalCount"])}, ${uids.size} listed`);
  }
  return mistakes;
}

/** What the platform says of itself; a platform that says nothing is not judged. */
async function metricMistakes(url: string): Promise<string[]> {
  const response = await fetch(`${url}/metrics`);
  if (!response.ok) return [];
  const text = await response.text();
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? 0);
  const mistakes: string[] = [];
  const running = metric("muster_platform_server_requests_in_flight");
  if (running !== 0) mistakes.push(`${running} calls never ended`);
  const memory = metric("process_resident_memory_bytes");
  if (memory > maximumMemory) mistakes.push(`${Math.round(memory / 1024 / 1024)} MiB are in use`);
  return mistakes;
}
