"""Settings of every learner's server; they stand in `etc/jupyter` of the class, beside `prompt_lab.py`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
c = get_config()  # noqa: F821  (Jupyter gives it)
c.ServerApp.kernel_websocket_connection_class = "prompt_lab.PromptConnection"  # answers leave at once
