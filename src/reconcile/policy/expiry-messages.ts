import type { Expiry } from "#src/kinds/expiry.ts";

// What people read about a grant that has expired.

export function expiringMessage(noun: string, expiry: Expiry | undefined): string {
  return `The grant has expired${since(expiry)}, and the ${noun} is being deleted on the platform.`;
}

/** @param because why it is not ended, and what to do */
export function expiredDeniedMessage(noun: string, expiry: Expiry | undefined, because: string): string {
  return `The grant has expired${since(expiry)}, but the ${noun} cannot be deleted on the platform. ${because}`;
}

function since(expiry: Expiry | undefined): string {
  return expiry === undefined ? "" : ` (${expiry.field}: ${expiry.text})`;
}

export function expiredUnpermittedMessage(noun: string): string {
  return `The grant has expired. The operator may have created the ${noun} when a Tenant permitted it, so it may still exist. Ask an administrator to permit it again: then it is deleted.`;
}

export function expiredMessage(noun: string): string {
  return `The grant has expired, and this object has no ${noun} on the platform. Set a later spec.expiresAt to grant the role again, or delete this object.`;
}

export function deletedExpiredMessage(noun: string, uid: string): string {
  return `Deleted the ${noun} ${uid} on the platform: its grant has expired.`;
}
