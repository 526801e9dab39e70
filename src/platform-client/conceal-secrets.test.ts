import { expect, it } from "vitest";
import { concealCodes, concealSecrets } from "./conceal-secrets.ts";
import { PlatformFailure } from "./failure.ts";

const planted = 'plän"ted-secret';
const body = JSON.stringify({ name: "sso", oidc: { issuer: "https://login.example", clientSecret: planted } });

it("removes the secret of a request from every text of its failure, however deep", () => {
  const error = new PlatformFailure("create identityProviders", {
    kind: "rejected",
    error: {
      code: "INVALID_ARGUMENT",
      message: `bad ${planted}`,
      reason: "",
      domain: "",
      fieldViolations: [{ field: "oidc.clientSecret", description: `${planted} is weak` }],
      preconditionViolations: [],
    },
  });
  const concealed = concealSecrets(error, body) as PlatformFailure;
  expect(`${concealed.message} ${concealed.stack} ${JSON.stringify(concealed)} ${String(concealed.cause)}`).not.toMatch(
    /ted-secret/,
  );
  expect(concealed.problem).toMatchObject({
    kind: "rejected",
    error: { message: "bad [redacted]", fieldViolations: [{ description: "[redacted] is weak" }] },
  });
});

it.each(["rejected", "e", "INVALID_ARGUMENT"])("leaves the type of the failure as it is: %s", (clientSecret) => {
  const error = new PlatformFailure("create identityProviders", {
    kind: "rejected",
    error: {
      code: "INVALID_ARGUMENT",
      message: "no",
      reason: "",
      domain: "",
      fieldViolations: [],
      preconditionViolations: [],
    },
  });
  const concealed = concealSecrets(error, JSON.stringify({ oidc: { clientSecret } })) as PlatformFailure;
  expect(concealed.problem).toEqual(error.problem);
});

it("removes the secret as the request contains it, as JSON", () => {
  const error = new PlatformFailure("create identityProviders", { kind: "noResponse", message: `502: ${body}` });
  expect((concealSecrets(error, body) as PlatformFailure).message).toContain('"clientSecret":"[redacted]"');
});

it("leaves a failure of a request without a secret as it is", () => {
  const error = new PlatformFailure("create groups", { kind: "noResponse", message: "away" });
  expect(concealSecrets(error, '{"oidc":{"clientSecret":""}}')).toBe(error);
  expect(concealSecrets(error, undefined)).toBe(error);
});

it("removes what may be a code from the failure of a request, and keeps what the request contains", () => {
  const group = `${"a".repeat(40)}/00000000000000e1`;
  const code = "0123456789abcdef.planted_code-of-an_invite";
  const error = new PlatformFailure("create groupInvites", {
    kind: "rejected",
    error: {
      code: "INTERNAL",
      message: `${code} was not stored in ${group}.`,
      reason: "INVITE_NOT_STORED",
      domain: "iam.muster.dev",
      fieldViolations: [{ field: "ttl", description: `must be shorter (${code}), see CAP_IAM_ROLE_BINDINGS_CREATE` }],
      preconditionViolations: [],
    },
  });
  const concealed = concealCodes(error, { path: `iam/v2beta1/groupInvites/${group}` }) as PlatformFailure;
  expect(`${concealed.message} ${concealed.stack} ${JSON.stringify(concealed)}`).not.toContain("planted");
  expect(concealed.problem).toMatchObject({
    error: {
      message: `[redacted] was not stored in ${group}.`,
      fieldViolations: [{ description: "must be shorter ([redacted]), see CAP_IAM_ROLE_BINDINGS_CREATE" }],
    },
  });
});
