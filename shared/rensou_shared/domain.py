"""Bounds and constants of the contract, said once."""

MAX_CONTENT_CHARS = 16_000
# Past so many records an exact scan of the vectors takes longer than the approximate index.
ANN_ABOVE_ROWS = 20_000
MAX_QUERY_CHARS = 8_000
MAX_SCOPE_NAME_BYTES = 128
MAX_CALLER_ID_BYTES = 256
MAX_SOURCE_NAME_BYTES = 256
MAX_METADATA_BYTES = 8_000
MAX_FINGERPRINT_BYTES = 512
MAX_BATCH = 100
MAX_FORGET_REFS = 100
MAX_ASSERTIONS = 100
MAX_SELECTORS = 20
MAX_EXCLUDED = 100
MAX_CUED_RECORDS = 5_000
CONTENTS_BUDGET_CHARS = 40_000
RECALL_BUDGET_CHARS = 200_000

MAX_NAME_CHARS = 256
MAX_DECLARED = 64
MAX_ALIASES = 32
MAX_RETRACTED = 64
MAX_PAGE_SIZE = 100
MAX_RETRIED_REFS = 100
MAX_RETRIED = 500

# Raised whenever any text may be divided differently, with a migration of the
# trigger records_drop_derived, which writes it too.
DIVIDER_VERSION = 1
