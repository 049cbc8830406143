"""Settings of every learner's server; they stand in `etc/jupyter` of the class's environment."""

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection

c = get_config()  # noqa: F821  (Jupyter gives it)


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Sends each message of a kernel when it comes.

    By itself the system holds a small message back until the one before is confirmed, and the other
    side confirms after 40 ms: each answer of a lab, which follows the message "busy", came that late.
    """

    def connect(self) -> Any:
        """Begin, without holding back."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()


c.ServerApp.kernel_websocket_connection_class = PromptConnection
