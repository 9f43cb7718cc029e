"""Print the offsets in an archive as JSON: archived.py ROOT [ENDPOINT].

pyarrow reads every file of the folder except names that begin with _ or a dot.
"""

import json
import sys

from pyarrow import dataset, fs

root, *endpoint = sys.argv[1:]
system = None
if endpoint:
    # The keys are in the file named by AWS_SHARED_CREDENTIALS_FILE.
    system = fs.S3FileSystem(endpoint_override=endpoint[0], region="us-east-1")
kept = dataset.dataset(root, filesystem=system, format="parquet", partitioning="hive")
print(json.dumps(sorted(kept.to_table(columns=["_offset"])["_offset"].to_pylist())))
