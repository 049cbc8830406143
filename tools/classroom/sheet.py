"""Print the sheet of a class that runs elsewhere: CLASS_SECRET=... CLASS_NAMES=names.txt python sheet.py ADDRESS"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from classroom.passwords import class_secret, passwords_of, sheet
from classroom.settings import read_settings

if __name__ == "__main__":
    secret = class_secret(Path(os.devnull), os.environ)
    print(sheet(passwords_of(read_settings().names, secret), *(sys.argv[1:2] or ["the hub"])))
