// Lists the repos of the platform, without packages: node list-repos.mjs
import { readFile } from "node:fs/promises";

/** The agent renews the file, so it is read before each request. */
async function request(path) {
  const token = (await readFile(process.env.MUSTER_TOKEN_FILE, "utf8")).trim();
  const response = await fetch(process.env.MUSTER_PLATFORM_URL + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return response.json();
}

const { repos } = await request("/registry/v2beta1/repos");
for (const { name } of repos) process.stdout.write(`${name}\n`);
