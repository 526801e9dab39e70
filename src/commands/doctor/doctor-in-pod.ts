/** `muster doctor` where it sees the most. */
export const doctorInPod = "kubectl -n muster-system exec deployment/muster-operator -- muster doctor";
