"""Runs the program: `python -m relink`."""

import sys

from ._main import main

sys.exit(main())
