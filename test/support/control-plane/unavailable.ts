/** No control plane can be had on this machine. The message says what is missing and what to do about it. */
export class ControlPlaneUnavailable extends Error {
  override readonly name = "ControlPlaneUnavailable";
}
