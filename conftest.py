"""What every test and every kernel that a test starts shares: no answer reaches the disk of whoever runs them."""

import os

os.environ["ATTENTION_PROGRESS"] = "off"
