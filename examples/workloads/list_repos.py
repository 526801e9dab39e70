"""Lists the repos of the platform, with the standard library: python3 list_repos.py"""

import json
import os
import urllib.request
from pathlib import Path


def request(path: str) -> dict:
    # The agent renews the file, so it is read before each request.
    token = Path(os.environ["MUSTER_TOKEN_FILE"]).read_text().strip()
    call = urllib.request.Request(
        os.environ["MUSTER_PLATFORM_URL"] + path,
        headers={"Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(call, timeout=30) as response:
        return json.load(response)


for repo in request("/registry/v2beta1/repos")["repos"]:
    print(repo["name"])
