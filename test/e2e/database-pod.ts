import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CertificateAuthority } from "#test/node/certificates.ts";
import { postgresImage } from "#test/node/images.ts";
import type { Target } from "#test/node/try-out.ts";
import { kubectl } from "./kubectl.ts";
import { isReadyPod, restrictedPodNamed } from "./restricted-pod.ts";

const execute = promisify(execFile);

/** The Secrets for the chart's `platform.database` and `platform.tls`. */
export const databaseSecret = "muster-database";
export const certificateSecret = "platform-tls";

/** PostgreSQL with its data in memory, for every user of the cluster. */
const database = [
  "initdb --pgdata /data/db --username muster --auth trust --locale C --encoding UTF8 --no-sync",
  "echo 'host all all all trust' >>/data/db/pg_hba.conf",
  "exec postgres -D /data/db -c listen_addresses='*' -c unix_socket_directories=/data",
].join(" && ");

/** Runs PostgreSQL in a pod named `database`, and returns when it is ready. */
export async function startDatabase(target: Target, namespace: string): Promise<void> {
  const { admin } = target;
  const name = "database";
  const { stdout: encryptionKey } = await execute("openssl", ["rand", "-base64", "32"]);
  await createSecret(target, { namespace, name: databaseSecret }, "from-literal", {
    url: `postgres://muster@${name}.${namespace}.svc/postgres`,
    key: encryptionKey.trim(),
  });
  await admin.apply({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ port: 5432 }] },
  });
  const container = {
    image: postgresImage,
    command: ["sh", "-c", database],
    readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const pod = restrictedPodNamed({ name, namespace }, container, [{ name: "data", emptyDir: {} }]);
  await admin.create(pod);
  await admin.waitFor(pod, isReadyPod, { timeoutMs: 60_000 });
}

/**
 * Creates a certificate of the platform, of an authority of its own.
 * @param folder for the files
 * @returns the file of the authority's certificate
 */
export async function createCertificate(
  target: Target,
  { namespace, folder, days }: { readonly namespace: string; readonly folder: string; readonly days?: number },
): Promise<string> {
  const authority = await CertificateAuthority.create(folder);
  const subject = { subject: "/CN=platform", names: `DNS:muster-platform.${namespace}.svc` };
  const { certificate, key } = await authority.issue("tls", days === undefined ? subject : { ...subject, days });
  const files = { "tls.crt": certificate, "tls.key": key, "ca.crt": authority.certificate };
  await createSecret(target, { namespace, name: certificateSecret }, "from-file", files);
  return authority.certificate;
}

async function createSecret(
  target: Target,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  from: "from-file" | "from-literal",
  entries: Readonly<Record<string, string>>,
): Promise<void> {
  const flags = Object.entries(entries).map(([key, value]) => `--${from}=${key}=${value}`);
  await kubectl(target, ["create", "secret", "generic", "--namespace", namespace, name, ...flags]);
}
