"""Makes the wheel for `pip install`, which needs neither a network nor other packages: the files
that are here, and their list."""

import base64
import hashlib
import os
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
INFO = next(name for name in os.listdir(HERE) if name.endswith(".dist-info"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = INFO.replace(".dist-info", "-py3-none-any.whl")
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for folder in ("kindred", INFO):
            for file in sorted(os.listdir(os.path.join(HERE, folder))):
                path = f"{folder}/{file}"
                if os.path.isfile(os.path.join(HERE, path)):
                    with open(os.path.join(HERE, path), "rb") as source:
                        data = source.read()
                    wheel.writestr(path, data)
                    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
                    record.append(f"{path},sha256={digest.rstrip(b'=').decode()},{len(data)}")
        wheel.writestr(f"{INFO}/RECORD", "\n".join([*record, f"{INFO}/RECORD,,", ""]))
    return name
