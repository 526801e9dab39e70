"""Lists the repos of the platform, with the standard library: python3 list_repos.py"""

import json
import os
import ssl
import urllib.error
import urllib.request
from pathlib import Path

# Without the variable, the authorities of the system.
authorities = ssl.create_default_context(cafile=os.environ.get("MUSTER_PLATFORM_CA"))


def request(path: str, attempts: int = 2) -> dict:
    # The agent renews the file, so it is read before each request.
    token = Path(os.environ["MUSTER_TOKEN_FILE"]).read_text().strip()
    call = urllib.request.Request(
        os.environ["MUSTER_PLATFORM_URL"] + path,
        headers={"Authorization": f"Bearer {token}"},
    )
    try:
        with urllib.request.urlopen(call, timeout=30, context=authorities) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        if error.code != 401 or attempts == 1:
            raise
    return request(path, attempts - 1)


for repo in request("/registry/v2beta1/repos")["repos"]:
    print(repo["name"])
