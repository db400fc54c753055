#!/usr/bin/env python3
"""Django's command line for CSRO; ``./csro`` sets the environment up before it comes here."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from csro_web.cli.errors import CommandFailure, WrongUsage, one_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "csro_web.settings")
    try:
        execute_from_command_line(sys.argv)
    except (CommandFailure, ImproperlyConfigured) as error:
        print(one_line(error), file=sys.stderr)
        sys.exit(1)
    except WrongUsage as error:
        print(one_line(error), file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
