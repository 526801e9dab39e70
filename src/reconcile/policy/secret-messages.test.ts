import { expect, it } from "vitest";
import { secretMissing, secretNotGranted, secretRefused, secretUnusable } from "./secret-messages.ts";

const path = "spec.clientSecretRef";
const at = { namespace: "team", name: "login", key: "clientSecret" };
const grant = "kubectl create role -n team muster-secret-login --verb=get --resource=secrets --resource-name=login";

it.each([
  ["system:serviceaccount:muster-system:muster", "--serviceaccount=muster-system:muster"],
  ["operator@example.com", "--user=operator@example.com"],
  ["it's me; rm -rf /", "--user='it'\\''s me; rm -rf /'"],
])("prints the commands that let %s read one Secret", (user, subject) => {
  expect(secretRefused(path, at, `get secrets: secrets "login" is forbidden: User "${user}" cannot get`)).toContain(
    `${grant} && kubectl create rolebinding -n team muster-secret-login --role=muster-secret-login ${subject}`,
  );
});

it("prints the command that names the issuer on the Secret, and nothing else whatever the issuer is", () => {
  const command = "Run: kubectl annotate --overwrite secret -n team login ";
  expect(secretNotGranted(path, at, "https://login.example")).toContain(
    `${command}iam.muster.dev/issuer=https://login.example`,
  );
  expect(secretNotGranted(path, at, "https://x/$(reboot);'")).toContain(
    `${command}'iam.muster.dev/issuer=https://x/$(reboot);'\\'''`,
  );
});

it("prints the commands that make a missing Secret", () => {
  expect(secretMissing(path, at, "https://login.example")).toBe(
    "spec.clientSecretRef: Secret login does not exist in namespace team. Create it from a file, FILE, that has the client secret and no line break. Run: kubectl create secret generic login -n team --from-file=clientSecret=FILE && kubectl annotate --overwrite secret -n team login iam.muster.dev/issuer=https://login.example",
  );
});

it("names the Secret, the key and the fix", () => {
  expect(secretUnusable(path, at, "noKey")).toBe(
    "spec.clientSecretRef: Secret login has no key clientSecret. Add it, or set spec.clientSecretRef.key to the one that has the client secret.",
  );
  expect(secretUnusable(path, at, "empty")).toBe(
    "spec.clientSecretRef: the key clientSecret of Secret login is empty. Set it.",
  );
});
