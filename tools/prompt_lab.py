"""JupyterLab for the notebooks: python tools/prompt_lab.py [flags of JupyterLab]

The address that it prints opens notebook 00. It serves the whole project, because notebooks link to what is beside
their folder; a flag --ServerApp.root_dir chooses another place.

Kernels' messages leave at once, and saved notebooks hold pictures in place of live views (see `saved_notebooks.py`).

By itself the system holds a small message back until the one before is confirmed, and the other side
confirms after 40 ms: each answer of a lab, which follows the message "busy", would come that late.

Every page also gets the library's Korean font, so that a machine without one shows no boxes before a cell has run.
"""

import sys
from pathlib import Path
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyterlab.labapp import LabApp

ROOT = Path(__file__).resolve().parents[1]
FIRST = "notebooks/00_start_here.ipynb"
FONTS = ROOT / "attention_lib" / "fonts"  # with the style sheet that names the font


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Sends each message of a kernel when it comes."""

    def connect(self) -> Any:
        """Begin, without holding back."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


if __name__ == "__main__":
    # by their names as modules of this folder, which is the first on the path of a script
    settings = [
        "--ServerApp.kernel_websocket_connection_class=prompt_lab.PromptConnection",
        "--ContentsManager.pre_save_hook=saved_notebooks.before_saving",
        f"--ServerApp.tornado_settings=static_custom_path={FONTS}",
        "--LabApp.custom_css=True",
    ]
    given = sys.argv[1:]
    if not any(flag.startswith("--ServerApp.root_dir=") for flag in given):
        settings.append(f"--ServerApp.root_dir={ROOT}")
        if not any(flag.startswith("--LabApp.default_url=") for flag in given):
            settings.append(f"--LabApp.default_url=/lab/tree/{FIRST}")
    sys.exit(LabApp.launch_instance([*settings, *given]))
