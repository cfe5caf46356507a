"""`python -m holdfast.hosts.command` is `holdfast`."""

import sys

from holdfast.hosts.command import main

sys.exit(main())
