import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** An empty Secret, as a GroupInvite needs one, and a reference to it. */
export function emptySecret(namespace: string, name: string): KubeObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name } };
}

/** A Secret with the client secret of an IdentityProvider. */
export function clientSecret(namespace: string, name: string, issuer: string, value: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace, name, annotations: { "iam.muster.dev/issuer": issuer } },
    stringData: { clientSecret: value },
  };
}

/** The code of an invite and the uid of the invite, as the operator wrote them; undefined where the Secret has none. */
export function issuedIn(secret: KubeObject): { readonly code: string; readonly uid: string } | undefined {
  const data: { readonly code?: string; readonly uid?: string } = secret["data"] ?? {};
  if (data.code === undefined || data.uid === undefined) return undefined;
  return { code: fromBase64(data.code), uid: fromBase64(data.uid) };
}

const fromBase64 = (text: string) => Buffer.from(text, "base64").toString();
