"""Settings of every learner's server; they stand in `etc/jupyter` of the class, beside the modules that they name."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
c = get_config()  # noqa: F821  (Jupyter gives it)
c.ServerApp.kernel_websocket_connection_class = "prompt_lab.PromptConnection"  # answers leave at once
c.ContentsManager.pre_save_hook = "saved_notebooks.before_saving"  # pictures in place of live views
