"""Prints a subject token for an Identity with awsIdentity, with the standard library: python3 aws_subject_token.py

It is a request to AWS STS that the credentials in the environment sign for one platform and one Identity. Only the platform
sends it, and AWS responds whose credentials signed it. The credentials stay here.
"""

import base64
import hashlib
import hmac
import os
import uuid
from datetime import datetime, timezone

HOST = "sts.amazonaws.com"
QUERY = "Action=GetCallerIdentity&Version=2011-06-15"


def subject_token() -> str:
    """Valid for 15 minutes, and accepted once."""
    time = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    headers = {
        "accept": "application/json",
        "host": HOST,
        "muster-audience": os.environ["MUSTER_AUTH_URL"].removesuffix("/sts/exchange"),
        "muster-identity": os.environ["MUSTER_IDENTITY"],
        # Otherwise, two requests of the same second would be equal, and each is accepted once.
        "muster-request": uuid.uuid4().hex,
        "x-amz-date": time,
    }
    if "AWS_SESSION_TOKEN" in os.environ:
        headers["x-amz-security-token"] = os.environ["AWS_SESSION_TOKEN"]
    headers["authorization"] = signature_v4(headers, time)
    lines = [f"POST /?{QUERY} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return base64.urlsafe_b64encode("\r\n".join(lines).encode()).decode()


def signature_v4(headers: dict[str, str], time: str) -> str:
    """The header Authorization of AWS Signature Version 4."""
    scope = f"{time[:8]}/us-east-1/sts/aws4_request"
    signed = ";".join(sorted(headers))
    canonical = [f"{name}:{headers[name]}" for name in sorted(headers)]
    request = "\n".join(["POST", "/", QUERY, *canonical, "", signed, hashlib.sha256(b"").hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", time, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"]).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    credential = f"{os.environ['AWS_ACCESS_KEY_ID']}/{scope}"
    return f"AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={signed}, Signature={signature}"


if __name__ == "__main__":
    print(subject_token())
