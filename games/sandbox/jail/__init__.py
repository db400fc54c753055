"""The code that runs inside the jail, and the code that locks it. Standard library alone.

No other part of the product is reachable from here: this directory is all that the zygote sees.
"""
