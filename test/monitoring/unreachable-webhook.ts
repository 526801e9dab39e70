/** A webhook that nobody answers, so that the API server refuses each change of a Group. */
export const unreachableWebhook = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "unreachable" },
  webhooks: [
    {
      name: "unreachable.example.com",
      clientConfig: { url: "https://127.0.0.1:1/" },
      rules: [
        {
          apiGroups: ["iam.muster.dev"],
          apiVersions: ["*"],
          operations: ["UPDATE"],
          resources: ["groups", "groups/status"],
        },
      ],
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};
