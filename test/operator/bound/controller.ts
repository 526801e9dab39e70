// The least that a controller can do in Node: it watches one kind, and for each object makes the calls that the operator makes, with
// nothing around them. It never updates, never retries, and proves nothing. Its CPU time is the bound of the operator's.
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { parseArgs } from "node:util";
import { Agent, buildConnector, type Dispatcher, Pool } from "undici";

const { values } = parseArgs({
  options: {
    kubernetes: { type: "string", default: "" },
    ca: { type: "string", default: "" },
    platform: { type: "string", default: "" },
    root: { type: "string", default: "" },
    objects: { type: "string", default: "" },
    finalizer: { type: "string", default: "" },
    transport: { type: "string", default: "http1" },
    connections: { type: "string", default: "16" },
    /** The head and the body of a request are written apart. */
    uncorked: { type: "boolean", default: false },
    /** The status has the uid and one condition only. */
    "small-status": { type: "boolean", default: false },
    /** An event is written for each object. */
    events: { type: "boolean", default: false },
  },
});
const kubernetesToken = process.env["KUBERNETES_TOKEN"] ?? "";
const platformToken = process.env["PLATFORM_TOKEN"] ?? "";
const connections = Number(values.connections);

type Send = (method: string, path: string, contentType: string, body: string) => Promise<string>;

const origin = new URL(values.kubernetes);
const tls = values.ca === "" ? {} : { ca: values.ca };
const sendToKubernetes = senderOf(values.transport);
const platform = new Pool(values.platform, { connections, allowH2: false });
const watches = new Agent({ allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect: tls });

function senderOf(transport: string): Send {
  const headersOf = (contentType: string) => ({
    authorization: `Bearer ${kubernetesToken}`,
    accept: "application/json",
    "content-type": contentType,
  });
  if (transport === "node") {
    const agent = new HttpsAgent({ keepAlive: true, maxSockets: connections, ...tls });
    return (method, path, contentType, body) =>
      new Promise((resolve, reject) => {
        const headers = { ...headersOf(contentType), "content-length": Buffer.byteLength(body) };
        const sent = requestHttps(
          { agent, host: origin.hostname, port: origin.port, method, path, headers },
          (response) => {
            const chunks: Buffer[] = [];
            response.on("data", (chunk: Buffer) => chunks.push(chunk));
            response.on("end", () => resolve(checked(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
            response.on("error", reject);
          },
        );
        sent.on("error", reject);
        sent.end(body);
      });
  }
  const isH2 = transport === "http2";
  const pool = new Pool(origin.origin, {
    allowH2: isH2,
    // All requests of HTTP/2 share one connection.
    connections: isH2 ? 1 : connections,
    pipelining: isH2 ? 100 : 1,
    ...(origin.protocol === "https:" ? { connect: values.uncorked ? uncorked(buildConnector(tls)) : tls } : {}),
  });
  return (method, path, contentType, body) => send(pool, { method, path, headers: headersOf(contentType), body });
}

function uncorked(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connector(options, (...result) => {
      const [, socket] = result;
      if (socket !== null) socket.cork = () => {};
      callback(...result);
    });
  };
}

function send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    let status = 0;
    const chunks: Buffer[] = [];
    dispatcher.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_, code) => {
        status = code;
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        try {
          resolve(checked(status, Buffer.concat(chunks).toString("utf8")));
        } catch (error) {
          reject(error);
        }
      },
      onResponseError: (_, error) => reject(error),
    });
  });
}

function checked(status: number, text: string): string {
  if (status >= 300) throw new Error(`HTTP ${status}: ${text}`);
  return text;
}

interface Group {
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly description: string };
}

/** The operator's calls for a new object: the finalizer, the resource, the status. */
async function reconcile(group: Group): Promise<void> {
  const {
    metadata: { name, uid, resourceVersion },
    spec,
  } = group;
  const path = `${values.objects}/${name}`;
  const mergePatch = "application/merge-patch+json";
  const finalizers = [values.finalizer];
  const finalized = JSON.parse(
    await sendToKubernetes(
      "PATCH",
      path,
      mergePatch,
      JSON.stringify({ metadata: { uid, resourceVersion, finalizers } }),
    ),
  ) as Group;
  const created = JSON.parse(
    await send(platform, {
      method: "POST",
      path: `/iam/v2beta1/groups/${values.root}`,
      headers: {
        authorization: `Bearer ${platformToken}`,
        accept: "application/json",
        "content-type": "application/json",
      },
      body: JSON.stringify({ name, description: spec.description }),
    }),
  ) as { readonly uid: string };
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = (type: string, message: string) => ({
    type,
    status: "True",
    reason: "Available",
    message,
    observedGeneration: 1,
    lastTransitionTime: now,
  });
  const complete = {
    observedGeneration: 1,
    uid: created.uid,
    parentUid: values.root,
    management: "Created",
    tenant: "test",
    lastSyncTime: now,
    decidedBy: "ready",
    conditions: [
      condition("Ready", "The group exists on the platform and matches the spec."),
      condition("ReferencesResolved", "All references in the spec are resolved."),
    ],
  };
  const least = { uid: created.uid, conditions: [condition("Ready", "")] };
  const status = values["small-status"] ? least : complete;
  const preconditions = { uid, resourceVersion: finalized.metadata.resourceVersion };
  JSON.parse(
    await sendToKubernetes("PATCH", `${path}/status`, mergePatch, JSON.stringify({ metadata: preconditions, status })),
  );
  if (values.events) await writeEvent(group);
}

async function writeEvent({ apiVersion, metadata: { name, namespace, uid } }: Group): Promise<void> {
  const event = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name: `${name}.${uid.slice(0, 8)}`, namespace },
    regarding: { apiVersion, kind: "Group", name, namespace, uid },
    type: "Normal",
    reason: "Created",
    action: "Create",
    note: "Created the group on the platform.",
    reportingController: "bench/minimal",
    reportingInstance: "minimal",
    eventTime: new Date().toISOString().replace("Z", "000Z"),
  };
  const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
  await sendToKubernetes("POST", path, "application/json", JSON.stringify(event));
}

const { body } = await watches.request({
  origin: origin.origin,
  path: `${values.objects}?watch=true`,
  method: "GET",
  headers: { authorization: `Bearer ${kubernetesToken}`, accept: "application/json" },
});
process.stdout.write("watching\n");
let rest = "";
body.setEncoding("utf8");
for await (const chunk of body) {
  const lines = (rest + String(chunk)).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    const event = JSON.parse(line) as { readonly type: string; readonly object: Group };
    if (event.type === "ADDED") void reconcile(event.object);
  }
}
