"""The first module of the frozen program."""

import sys

from stemmata.__main__ import main

sys.exit(main())
