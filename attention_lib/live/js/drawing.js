// The browser's part of Drawing (see drawing.py), as anywidget wants it.

import { renderDrawing } from "./hands.js";

export default { render: renderDrawing };
