/** An address of an earlier site, and where its reader finds the same now: paths in the site, with an anchor or without. */
export type MovedPage = readonly [from: string, to: string];

/**
 * Addresses that people have in bookmarks, tickets and alerts. The first row of a page is for every address in it that has no row of
 * its own.
 */
export const movedPages: readonly MovedPage[] = [
  ["concepts/drift-and-deletion.html", "concepts/how-it-works.html#drift-and-deletion"],
  ["concepts/identities-and-tokens.html", "concepts/how-it-works.html#identities-and-tokens"],
  ["how-to/adopt-what-exists.html", "how-to/import-what-exists.html#adopt-a-few-resources-by-hand"],
  ["how-to/adopt-what-exists.html#if-it-says-conflict", "reference/conditions.html#conflict"],
  ["operate/runbooks/MusterBreakerOpen.html", "operate/operator-alerts.html#musterbreakeropen"],
  ["operate/runbooks/MusterCallsSuspended.html", "operate/operator-alerts.html#mustercallssuspended"],
  ["operate/runbooks/MusterCompetingWriter.html", "operate/operator-alerts.html#mustercompetingwriter"],
  ["operate/runbooks/MusterKindUnreadable.html", "operate/operator-alerts.html#musterkindunreadable"],
  ["operate/runbooks/MusterKubernetesRefuses.html", "operate/operator-alerts.html#musterkubernetesrefuses"],
  ["operate/runbooks/MusterNoLeader.html", "operate/operator-alerts.html#musternoleader"],
  ["operate/runbooks/MusterObjectNotReady.html", "operate/operator-alerts.html#musterobjectnotready"],
  ["operate/runbooks/MusterOrphans.html", "operate/operator-alerts.html#musterorphans"],
  ["operate/runbooks/MusterPlatformAuditExportLate.html", "operate/platform-alerts.html#musterplatformauditexportlate"],
  [
    "operate/runbooks/MusterPlatformCertificateExpires.html",
    "operate/platform-alerts.html#musterplatformcertificateexpires",
  ],
  ["operate/runbooks/MusterPlatformDatabaseDown.html", "operate/platform-alerts.html#musterplatformdatabasedown"],
  ["operate/runbooks/MusterPlatformDown.html", "operate/platform-alerts.html#musterplatformdown"],
  ["operate/runbooks/MusterPlatformErrors.html", "operate/platform-alerts.html#musterplatformerrors"],
  [
    "operate/runbooks/MusterPlatformExchangesRefused.html",
    "operate/platform-alerts.html#musterplatformexchangesrefused",
  ],
  ["operate/runbooks/MusterPlatformFaultInjection.html", "operate/platform-alerts.html#musterplatformfaultinjection"],
  ["operate/runbooks/MusterPlatformOverloaded.html", "operate/platform-alerts.html#musterplatformoverloaded"],
  ["operate/runbooks/MusterPlatformSigningKeyOld.html", "operate/platform-alerts.html#musterplatformsigningkeyold"],
  ["operate/runbooks/MusterPlatformSlow.html", "operate/platform-alerts.html#musterplatformslow"],
  ["operate/runbooks/MusterPlatformWritesFail.html", "operate/platform-alerts.html#musterplatformwritesfail"],
  ["operate/runbooks/MusterQueueStuck.html", "operate/operator-alerts.html#musterqueuestuck"],
  ["operate/runbooks/MusterReconcileErrors.html", "operate/operator-alerts.html#musterreconcileerrors"],
  ["operate/runbooks/MusterResyncLate.html", "operate/operator-alerts.html#musterresynclate"],
  ["operate/runbooks/MusterSlow.html", "operate/operator-alerts.html#musterslow"],
  ["operate/runbooks/MusterTenantCredentialsFail.html", "operate/operator-alerts.html#mustertenantcredentialsfail"],
  ["operate/runbooks/MusterTenantNotReady.html", "operate/operator-alerts.html#mustertenantnotready"],
  ["operate/runbooks/MusterUndeclaredAccess.html", "operate/operator-alerts.html#musterundeclaredaccess"],
  ["operate/runbooks/MusterWritesSuspended.html", "operate/operator-alerts.html#musterwritessuspended"],
  ["scale.html", "performance.html#many-tenants-and-trouble"],
  ["platform-performance.html", "performance.html#the-platform"],
  ["concepts/tenants.html", "reference/tenants.html"],
  ["concepts/ownership.html", "reference/ownership.html"],
  ["concepts/undeclared-access.html", "reference/undeclared-access.html"],
];
