import { readdir, readFile, readlink } from "node:fs/promises";

/** proc_pid_net(5): the state of an established connection. */
const established = "01";

/** The number of established TCP connections of a process to a port on another end, over IPv4. */
export async function connectionsTo(pid: number, port: number): Promise<number> {
  const [sockets, table] = await Promise.all([socketsOf(pid), readFile(`/proc/${pid}/net/tcp`, "utf8")]);
  const rows = table.split("\n").map((line) => line.trim().split(/\s+/));
  // The third field is the other end's address, `7F000001:1F90`; the tenth is the socket's inode.
  return rows.filter(
    ([, , remote = "", state, , , , , , inode = ""]) =>
      state === established && Number.parseInt(remote.split(":")[1] ?? "", 16) === port && sockets.has(inode),
  ).length;
}

/** The inodes of the sockets that a process has open. */
async function socketsOf(pid: number): Promise<ReadonlySet<string>> {
  const folder = `/proc/${pid}/fd`;
  // A descriptor can be closed between the two calls.
  const links = (await readdir(folder)).map((descriptor) => readlink(`${folder}/${descriptor}`).catch(() => ""));
  return new Set((await Promise.all(links)).flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}
