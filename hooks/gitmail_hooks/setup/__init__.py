"""`gitmail setup`: the server and the hooks in a host's own settings, put in and taken out exactly.

`plan` reads and decides, `apply` writes. Nothing here is on a hook's path, and the hook path
imports nothing from here.
"""
