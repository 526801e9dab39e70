/** This machine cannot run a control plane. The message says what is missing and how to get it. */
export class ControlPlaneUnavailable extends Error {
  override readonly name = "ControlPlaneUnavailable";
}
