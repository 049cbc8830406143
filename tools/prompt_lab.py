"""JupyterLab whose kernels' messages leave at once: python tools/prompt_lab.py [flags of JupyterLab]

By itself the system holds a small message back until the one before is confirmed, and the other side
confirms after 40 ms: each answer of a lab, which follows the message "busy", would come that late.
"""

import sys
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyterlab.labapp import LabApp


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Sends each message of a kernel when it comes."""

    def connect(self) -> Any:
        """Begin, without holding back."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


if __name__ == "__main__":
    # by its name as a module of this folder, which is the first on the path of a script
    setting = "--ServerApp.kernel_websocket_connection_class=prompt_lab.PromptConnection"
    sys.exit(LabApp.launch_instance([setting, *sys.argv[1:]]))
