import { identityUidAnnotation } from "#src/api/annotations.ts";
import { defineCommand } from "#src/commands/command.ts";
import { readStream } from "#src/files/read-text.ts";
import { uidPattern } from "#src/platform-client/uid.ts";
import { systemClock } from "#src/time/clock.ts";
import { isRegistry } from "#src/workload/docker-credentials.ts";
import { parsePullRequest, pullResponse } from "#src/workload/kubelet-credentials.ts";
import { parseSubjectToken } from "#src/workload/subject-token.ts";
import { Exchanger } from "./exchange.ts";
import { apiAudience, exchangeSettings, registries } from "./settings.ts";

export default defineCommand({
  summary: "give the kubelet the platform's token of a pod's identity, to pull its images",
  description: `In the CredentialProviderConfig of a node, with muster in the folder of the kubelet's --image-credential-provider-bin-dir:
  - name: muster
    args:
      - credential-helper
      - kubelet
      - --registry=registry.example.com
      - --auth-url=URL
      - --api-audience=URL
    matchImages: [registry.example.com]
    defaultCacheDuration: 0s
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    tokenAttributes:
      serviceAccountTokenAudience: AUDIENCE
      cacheType: ServiceAccount
      requireServiceAccount: true
      requiredServiceAccountAnnotationKeys:
        - ${identityUidAnnotation}`,
  settings: {
    ...registries,
    authUrl: exchangeSettings.authUrl,
    apiAudience,
    platformCa: exchangeSettings.platformCa,
  },
  run: async ({ registry: registryList, username, apiAudience: audience, authUrl, platformCa }, context) => {
    const { env, signal, stdin, stdout } = context;
    const request = parsePullRequest(await readStream(stdin, { signal }), identityUidAnnotation);
    const { registry, identity, subjectToken } = request;
    if (registry === undefined || !isRegistry(registryList, registry)) {
      stdout.write(`${pullResponse(undefined, systemClock.now())}\n`);
      return;
    }
    if (identity === undefined || !uidPattern.test(identity))
      throw new Error(
        `the service account of the pod has no annotation ${identityUidAnnotation} with the uid of an identity: status.uid of the Identity`,
      );
    const subject = parseSubjectToken(subjectToken, "serviceAccountToken of the request");
    const exchanger = await Exchanger.create({ identity, authUrl, platformCa }, audience, env);
    const token = await exchanger.exchange(subject, signal);
    stdout.write(`${pullResponse({ registry, username, token }, systemClock.now())}\n`);
  },
});
