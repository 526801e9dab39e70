"""A function of AWS Lambda that lists the repos of the platform. Its package also has aws_subject_token.py."""

import json
import os
import urllib.parse
import urllib.request

from aws_subject_token import subject_token


def request(url: str, token: str) -> dict:
    call = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(call, timeout=30) as response:
        return json.load(response)


def platform_token() -> str:
    """Valid for an hour."""
    parameters = {"aud": os.environ["MUSTER_PLATFORM_URL"], "identity": os.environ["MUSTER_IDENTITY"]}
    query = urllib.parse.urlencode(parameters)
    return request(f"{os.environ['MUSTER_AUTH_URL']}?{query}", subject_token())["token"]


def handler(event: object, context: object) -> list[str]:
    repos = request(os.environ["MUSTER_PLATFORM_URL"] + "/registry/v2beta1/repos", platform_token())["repos"]
    return [repo["name"] for repo in repos]
